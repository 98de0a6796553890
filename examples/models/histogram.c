/* Four threads count the values of blocks of a file into one table; main reads the blocks.
 * midrun predict cost --source histogram.c --function count_all --cost read_block=4e-3 --processors 4 */
#include <pthread.h>

enum { THREADS = 4, BLOCKS = 50 };
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

void read_block(int k);
int next_value(void);
void add(int value);

static void *count(void *unused) {
  for (int k = 0; k < BLOCKS; k++) {
    next_value(); // midrun: cost 8e-3 variance 1e-6
    pthread_mutex_lock(&table);
    add(k); // midrun: cost 1e-3
    pthread_mutex_unlock(&table);
  }
  return 0;
}

void count_all(void) {
  pthread_t thread[THREADS];
  for (int k = 0; k < 2; k++) read_block(k);
  for (int t = 0; t < THREADS; t++) pthread_create(&thread[t], 0, count, 0);
  for (int t = 0; t < THREADS; t++) pthread_join(thread[t], 0);
  int last = next_value(); // midrun: cost 8e-3
  if (last < 0) read_block(0); // midrun: probability 0.1
}
