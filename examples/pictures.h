/* pictures.h - pictures by seed, for programs that want some: coloured discs on a gradient, and every twentieth pixel wrong. */
#ifndef PICTURES_H
#define PICTURES_H
#include "synthetic.h"
#include <string.h>

/* Writes three bytes per pixel. */
static inline void draw(unsigned char *pixel, int width, int height, uint64_t seed) {
  enum { DISCS = 8 };
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++, pixel += 3) {
      pixel[0] = (unsigned char)(255 * x / width), pixel[1] = (unsigned char)(255 * y / height), pixel[2] = 128;
      for (uint64_t k = 0; k < DISCS; k++) {
        uint64_t a = mix(seed + k), b = mix(a);
        int dx = x - (int)(a % (uint64_t)width), dy = y - (int)(b % (uint64_t)height), radius = width * (int)(4 + b % 8) / 64;
        if (dx * dx + dy * dy < radius * radius) memcpy(pixel, &a, 3);
      }
      uint64_t chance = mix(seed ^ mix((uint64_t)y << 32 | (uint64_t)x));
      if (chance % 20 == 0) memset(pixel, chance & 64 ? 255 : 0, 3);
    }
}
#endif
