#!/bin/bash
# A tuned job under Flux: flux batch deploy/flux/job.flux ./program [arguments]
# The only words added to the usual line are `midrun run --`.
#flux: --job-name=tuned
#flux: --nodes=2
#flux: --nslots=64
set -euo pipefail

export PATH="${MIDRUN_PREFIX:-$PWD/target/midrun}/bin:$PATH"
program=${1:?usage: flux batch job.flux ./program [arguments]}

exec midrun run --summary "midrun-$(flux getattr jobid).json" -- flux run --ntasks="${RANKS:-64}" "$program" "${@:2}"
