#!/bin/sh
# Installs and uses the packages in a root of its own: the machine's system below an overlay, without the checkout. Run as root:
# in_clean_root.sh DIRECTORY CHECKOUT DEB TARBALL SOURCE RPM, where DIRECTORY is empty and SOURCE is the C program of the job.
set -eu
place=$1 checkout=$2 deb=$3 tarball=$4 source=$5 rpm=$6
exec unshare --mount --propagation private sh -eu -c '
  place=$1 checkout=$2 deb=$3 tarball=$4 source=$5 rpm=$6
  mount -t tmpfs none "$place"
  mkdir "$place/upper" "$place/scratch" "$place/root"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$place/upper,workdir=$place/scratch" "$place/root"
  root=$place/root
  mount --rbind /proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --rbind /sys "$root/sys"
  mount -t tmpfs none "$root/tmp"
  cp "$deb" "$root/tmp/midrun.deb"
  cp "$tarball" "$root/tmp/midrun.tar.gz"
  [ ! -e "$rpm" ] || cp "$rpm" "$root/tmp/midrun.rpm"
  cp "$source" "$root/tmp/program.c"
  cp "$(dirname "$source")"/*.h "$root/tmp"
  mkdir -p "$root$checkout"   # it may lie under /tmp
  mount -t tmpfs none "$root$checkout"
  exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root XDG_STATE_HOME=/tmp/state XDG_RUNTIME_DIR=/tmp \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 sh -eu -c "
    cd /tmp
    [ ! -e /usr/bin/midrun ]
    dpkg -i midrun.deb
    midrun --version
    [ -s /usr/share/man/man1/midrun-run.1 ]
    bash -c \". /usr/share/bash-completion/completions/midrun; complete -p midrun\"
    stat -c %a%U /etc/midrun/token /etc/midrun/tls/analyzer.key
    for mpi in openmpi mpich; do
      flags=\"-bind-to none\"
      [ \$mpi = mpich ] || flags=\"--oversubscribe --bind-to none\"
      job=\"--tasks 100 --iterations 5 --mean-us 100\"
      mpicc.\$mpi program.c \$(pkg-config --cflags --libs midrun) -lm -o program
      mpirun.\$mpi -n 3 \$flags ./program \$job
      midrun run --summary deb-\$mpi.json -- mpirun.\$mpi -n 3 \$flags ./program \$job
      grep -c \"iterations\" deb-\$mpi.json
    done
    dpkg -P midrun
    [ ! -e /usr/bin/midrun ]
    [ ! -e /etc/midrun ]
    if [ -e midrun.rpm ]; then
      # The machine is a Debian: rpm finds no package here that could bring what the files need.
      rpm --dbpath /tmp/rpmdb --nodeps -i midrun.rpm
      stat -c %a%U /etc/midrun/token
      midrun run -- mpirun.mpich -n 3 -bind-to none ./program --tasks 100 --iterations 5 --mean-us 100
      rpm --dbpath /tmp/rpmdb -e midrun
      [ ! -e /usr/bin/midrun ]
    fi
    mkdir /tmp/home
    tar -C /tmp/home -xzf midrun.tar.gz
    /tmp/home/midrun-*/bin/midrun run -- mpirun.mpich -n 3 -bind-to none ./program --tasks 100 --iterations 5 --mean-us 100
    echo all of it works
  "
' sh "$place" "$checkout" "$deb" "$tarball" "$source" "$rpm"
