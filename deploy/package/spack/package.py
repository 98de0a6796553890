# A recipe for Spack, to be copied into a repository as packages/midrun/package.py. It was never run.
from spack.package import *

try:
    from spack_repo.builtin.build_systems.generic import Package  # Spack 1.0 and 1.1
except ImportError:
    pass  # before and after them it is in spack.package


class Midrun(Package):
    """Tunes MPI programs while they run."""

    homepage = "https://example.org/midrun"
    url = "file:///path/to/midrun-0.1.0.tar.gz"

    license("MIT OR Apache-2.0")
    version("0.1.0")  # add the sha256 of your tarball

    depends_on("c", type="build")
    depends_on("rust@1.88:", type="build")
    depends_on("gmake", type="build")
    depends_on("mpi")

    def install(self, spec, prefix):
        environ = {"MPICC": spec["mpi"].mpicc, "CARGO_HOME": self.stage.path}
        with set_env(**environ):
            Executable("deploy/build")()
        Executable("deploy/install")(prefix)

    def setup_run_environment(self, env):
        env.set("MIDRUN_ROOT", self.prefix)
