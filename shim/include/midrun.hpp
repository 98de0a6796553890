/* midrun.hpp - the C++17 API of libmidrun, over midrun.h.
 *
 *   midrun::Farm<Task, Result> farm(compute);              // every rank; compute: Result(const Task&)
 *   farm.serve();                                          // a worker: computes until the master is done
 *   std::vector<Result> results = farm.map(tasks, count);  // the master, any number of times; then farm.finish()
 *
 *   midrun::expose("block", block, 8, 256);
 *   { midrun::Iteration iteration(tasks, workers); ... }
 *
 * An exception of a callback does not pass through C: it ends the iteration on all ranks and is thrown again by map() or
 * serve() of the rank that it comes from; the others throw midrun::Error. Tasks and results are trivially copyable.
 */
#ifndef MIDRUN_HPP
#define MIDRUN_HPP

#include <midrun.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace midrun {

/* A function of libmidrun failed. */
class Error : public std::runtime_error {
 public:
  explicit Error(int status) : std::runtime_error(std::string("midrun: ") + midrun_status_text(status)), status_(status) {}
  int status() const noexcept { return status_; } /* one of MIDRUN_ERR_... */

 private:
  int status_;
};

/* Throws for an error; returns the benign statuses. */
inline int check(int status) {
  if (status < 0) throw Error(status);
  return status;
}

/* How a farm starts; midrun changes technique and workers where it gains. Members as in midrun_mw_config_t. */
struct FarmOptions {
  const void *comm = nullptr; /* address of an MPI_Comm; nullptr: MPI_COMM_WORLD */
  int master = 0;
  const char *technique = nullptr;
  double factor = 0;
  std::uint32_t workers = 0;
  std::uint32_t flags = 0; /* MIDRUN_MW_SPAWN, MIDRUN_MW_RECALL, MIDRUN_MW_MASTER_WORKS, MIDRUN_MW_COUNTER */
};

/* A Master/Worker farm. Construction and destruction are collective. */
template <class Task, class Result>
class Farm {
  static_assert(std::is_trivially_copyable_v<Task> && std::is_trivially_copyable_v<Result>,
                "tasks and results travel as bytes");

 public:
  using Compute = std::function<Result(const Task &)>;
  /* Master: the results of tasks first .. first+count-1 have arrived. */
  using Collect = std::function<void(std::uint64_t first, const Result *results, std::uint64_t count)>;

  explicit Farm(Compute compute, const FarmOptions &options = {}) : compute_(std::move(compute)) {
    midrun_mw_config_t config{};
    config.struct_size = sizeof config;
    config.comm = options.comm;
    config.master = options.master;
    config.flags = options.flags;
    config.task_bytes = sizeof(Task);
    config.result_bytes = sizeof(Result);
    config.prepare = prepare;
    config.compute = compute_tasks;
    config.collect = collect;
    config.user = this;
    config.technique = options.technique;
    config.factor = options.factor;
    config.workers = options.workers;
    check(midrun_mw_create(&mw_, &config));
  }
  ~Farm() { midrun_mw_destroy(&mw_); }
  Farm(const Farm &) = delete;
  Farm &operator=(const Farm &) = delete;

  /* Master: one iteration over `count` tasks; their results in the tasks' order. */
  std::vector<Result> map(const Task *tasks, std::size_t count) {
    std::vector<Result> results(count);
    each(tasks, count, [&](std::uint64_t first, const Result *some, std::uint64_t n) {
      std::memcpy(results.data() + first, some, n * sizeof(Result));
    });
    return results;
  }
  std::vector<Result> map(const std::vector<Task> &tasks) { return map(tasks.data(), tasks.size()); }

  /* Master: as map; `collect` gets the results as they come. */
  void each(const Task *tasks, std::size_t count, Collect collect) {
    tasks_ = tasks;
    collect_ = std::move(collect);
    run(count);
  }

  /* Worker: computes until the master calls finish(). */
  void serve() {
    while (run(0) != MIDRUN_ENDED) {
    }
  }

  /* Master: no iteration follows. */
  void finish() { check(midrun_mw_finish(mw_)); }

  /* Master: figures of the last iteration. */
  midrun_mw_stats_t last() const {
    midrun_mw_stats_t stats{};
    stats.struct_size = sizeof stats;
    check(midrun_mw_last(mw_, &stats));
    return stats;
  }

 private:
  int run(std::uint64_t count) {
    int status = midrun_mw_iterate(mw_, count);
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    return check(status);
  }

  template <class Body>
  int safely(Body body) noexcept {
    try {
      body();
      return 0;
    } catch (...) {
      if (!thrown_) thrown_ = std::current_exception();
      return 1;
    }
  }

  static int prepare(void *user, std::uint64_t, std::uint64_t first, std::uint64_t count, void *to) {
    std::memcpy(to, static_cast<Farm *>(user)->tasks_ + first, count * sizeof(Task));
    return 0;
  }

  static int compute_tasks(void *user, std::uint64_t, std::uint64_t, std::uint64_t count, const void *tasks, void *results) {
    auto *farm = static_cast<Farm *>(user);
    return farm->safely([&] {
      for (std::uint64_t i = 0; i < count; i++) {
        Task task; /* the bytes of a message may be less aligned than a Task */
        std::memcpy(&task, static_cast<const char *>(tasks) + i * sizeof(Task), sizeof task);
        Result result = farm->compute_(task);
        std::memcpy(static_cast<char *>(results) + i * sizeof(Result), &result, sizeof result);
      }
    });
  }

  static int collect(void *user, std::uint64_t, std::uint64_t first, std::uint64_t count, const void *results) {
    auto *farm = static_cast<Farm *>(user);
    return farm->safely([&] {
      std::vector<Result> aligned(count);
      std::memcpy(aligned.data(), results, count * sizeof(Result));
      farm->collect_(first, aligned.data(), count);
    });
  }

  Compute compute_;
  Collect collect_;
  const Task *tasks_ = nullptr;
  midrun_mw_t *mw_ = nullptr;
  std::exception_ptr thrown_;
};

/* An iteration of a program with its own loop: midrun_iteration_begin and midrun_iteration_end. */
class Iteration {
 public:
  explicit Iteration(std::uint64_t tasks = 0, std::uint32_t workers = 0) { midrun_iteration_begin(tasks, workers); }
  ~Iteration() { midrun_iteration_end(); }
  Iteration(const Iteration &) = delete;
  Iteration &operator=(const Iteration &) = delete;
};

/* A worker's computation of tasks: midrun_work_begin and midrun_work_end. */
class Work {
 public:
  Work(std::uint64_t first, std::uint64_t tasks) { midrun_work_begin(first, tasks); }
  ~Work() { midrun_work_end(); }
  Work(const Work &) = delete;
  Work &operator=(const Work &) = delete;
};

/* Exposes a variable as a tuning point; it must live as long as the program. Throws Error for a name or range that
 * midrun cannot take. */
inline void expose(const char *name, int &variable, int minimum, int maximum) {
  check(midrun_expose_int(name, &variable, minimum, maximum));
}
inline void expose(const char *name, unsigned &variable, unsigned minimum, unsigned maximum) {
  check(midrun_expose_unsigned(name, &variable, minimum, maximum));
}
inline void expose(const char *name, float &variable, float minimum, float maximum) {
  check(midrun_expose_float(name, &variable, minimum, maximum));
}
inline void expose(const char *name, double &variable, double minimum, double maximum) {
  check(midrun_expose_double(name, &variable, minimum, maximum));
}

} // namespace midrun
#endif
