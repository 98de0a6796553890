// coordinator.cpp - a Master/Worker program in today's C++; it knows nothing of midrun.
//
// The master keeps one receive posted for each worker, and gives it the next `batch_size` samples whenever that is done. It does so in a lambda inside
// the function of a generation: their names in the source begin alike.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

namespace mc {
unsigned batch_size = 1;

// Two functions of one name.
__attribute__((noipa)) int limited(int count, int most) { return std::min(count, most); }
__attribute__((noipa)) double limited(double value, double most) { return std::min(value, most); }

struct Model {
  double scale = 100e-6;

  // Without another copy of it for these arguments, which the compiler would call.
  __attribute__((noipa)) double simulate(int first, int count) {
    auto end = std::chrono::steady_clock::now();
    double sum = 0;
    for (int i = first; i < first + count; i++) {
      std::mt19937 generator(static_cast<unsigned>(i) * 7919u + 13u);
      double s = scale * std::lognormal_distribution<double>(0.0, 0.5)(generator);
      end += std::chrono::nanoseconds(static_cast<long>(s * 1e9));
      sum += i;
    }
    std::this_thread::sleep_until(end);
    return sum;
  }
};

class Coordinator {
 public:
  explicit Coordinator(int workers) : results(workers), requests(workers, MPI_REQUEST_NULL) {}

  __attribute__((noipa)) double generation(int number, int samples) {
    int next = 0, busy = 0;
    double total = 0;
    auto give = [&](int worker) __attribute__((noinline)) {
      int count = limited(static_cast<int>(batch_size), samples - next);
      if (count <= 0) return;
      int job[2] = {number * samples + next, count};
      next += count, busy++;
      MPI_Irecv(&results[worker], 1, MPI_DOUBLE, worker + 1, 7, MPI_COMM_WORLD, &requests[worker]);
      MPI_Send(job, 2, MPI_INT, worker + 1, 5, MPI_COMM_WORLD);
    };
    for (int worker = 0; worker < static_cast<int>(results.size()); worker++) give(worker);
    while (busy > 0) {
      int which, there;
      MPI_Testany(static_cast<int>(requests.size()), requests.data(), &which, &there, MPI_STATUS_IGNORE);
      if (!there) std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (!there || which == MPI_UNDEFINED) continue;
      total += results[which], busy--;
      give(which);
    }
    return limited(total, 1e300);
  }

 private:
  std::vector<double> results;
  std::vector<MPI_Request> requests;
};
}  // namespace mc

int main(int argc, char **argv) {
  int rank, size, generations = argc > 1 ? std::atoi(argv[1]) : 30;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    mc::Coordinator coordinator(size - 1);
    double total = 0;
    for (int g = 0; g < generations; g++) total += coordinator.generation(g, 400);
    for (int to = 1, job[2] = {0, 0}; to < size; to++) MPI_Send(job, 2, MPI_INT, to, 5, MPI_COMM_WORLD);
    std::printf("at the end %u\ntotal %.0f\n", mc::batch_size, total);
  } else {
    mc::Model model;
    for (int job[2], there = 0;; there = 0) {
      while (MPI_Iprobe(0, 5, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE), !there) std::this_thread::sleep_for(std::chrono::microseconds(50));
      MPI_Recv(job, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (job[1] == 0) break;
      double sum = model.simulate(job[0], job[1]);
      MPI_Send(&sum, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
}
