-- Modulefile for Lmod: copy or link it as .../modulefiles/midrun/0.1.0.lua. It finds its prefix from where it stands
-- (PREFIX/share/modulefiles/midrun/0.1.0.lua).
help([[midrun tunes MPI programs while they run: midrun run -- mpirun -n 65 ./program]])
whatis("Name: midrun")
whatis("Version: 0.1.0")
whatis("Description: tunes MPI programs while they run")

local file = subprocess and subprocess("readlink -f " .. myFileName()):gsub("%s+$", "") or myFileName()
local prefix = file:match("^(.*)/share/modulefiles/midrun/[^/]*$")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("LD_LIBRARY_PATH", pathJoin(prefix, "lib"))
prepend_path("LIBRARY_PATH", pathJoin(prefix, "lib"))
prepend_path("CPATH", pathJoin(prefix, "include"))
prepend_path("PKG_CONFIG_PATH", pathJoin(prefix, "lib/pkgconfig"))
prepend_path("CMAKE_PREFIX_PATH", prefix)
setenv("MIDRUN_ROOT", prefix)
