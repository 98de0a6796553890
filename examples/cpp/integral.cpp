/* integral.cpp - integrates a function by a farm in C++: mpirun -n 5 integral [ITERATIONS]. */
#include <midrun.hpp>
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

struct Interval {
  double from, to;
  int steps;
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 3;
  try {
    midrun::Farm<Interval, double> farm([](const Interval &task) {
      if (task.steps < 1) throw std::invalid_argument("an interval without steps");
      double sum = 0, width = (task.to - task.from) / task.steps;
      for (int i = 0; i < task.steps; i++) sum += std::sin(task.from + (i + 0.5) * width) * width;
      return sum;
    });
    if (rank != 0) {
      farm.serve();
    } else {
      std::vector<Interval> tasks;
      for (int i = 0; i < 400; i++) tasks.push_back({M_PI * i / 400, M_PI * (i + 1) / 400, 20 + 10 * i});
      for (int n = 0; n < iterations; n++) {
        double sum = 0;
        for (double part : farm.map(tasks)) sum += part;
        std::printf("iteration %d: integral %.6f in %llu chunks\n", n, sum, (unsigned long long)farm.last().chunks);
      }
      farm.finish();
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
