/* throwing.cpp - a task that throws: its exception stays in C++, and every rank learns that the iteration failed. */
#include <midrun.hpp>
#include <mpi.h>

#include <cstdio>
#include <numeric>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    midrun::Farm<int, int> farm([](const int &n) {
      if (n == 7) throw std::runtime_error("seven is refused");
      return n;
    });
    std::vector<int> tasks(20);
    std::iota(tasks.begin(), tasks.end(), 0);
    try {
      if (rank == 0) farm.map(tasks);
      else farm.serve();
      std::printf("rank %d: no exception\n", rank);
    } catch (const midrun::Error &error) {
      std::printf("rank %d: %s (%d)\n", rank, error.what(), error.status());
    } catch (const std::runtime_error &error) {
      std::printf("rank %d: %s\n", rank, error.what());
    }
  }
  MPI_Finalize();
}
