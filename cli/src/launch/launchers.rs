//! Launchers and the options of their command lines, so far as it takes to find the programs in a line.
//!
//! The tables follow the manuals: mpirun(1) of Open MPI 4.1 and 5.0 (prterun), mpiexec of MPICH 3.4 to 5.0 and Intel MPI 2021
//! (Hydra), srun(1) of Slurm 22.05 to 24.05, aprun(1) of ALPS, mpiexec(1) of PALS, flux-run(1), ibrun of TACC, jsrun(1).

use std::path::Path;

use super::mpi;

/// A launcher whose command lines are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// mpirun, mpiexec or orterun of Open MPI up to 4.
    OpenMpi4,
    /// mpirun, mpiexec or prterun of Open MPI from 5 on.
    OpenMpi5,
    /// mpirun or mpiexec of MPICH, Intel MPI, MVAPICH or ParaStation.
    Hydra,
    /// srun of Slurm.
    Srun,
    /// aprun of ALPS.
    Aprun,
    /// mpiexec or aprun of PALS.
    Pals,
    /// flux run.
    Flux,
    /// ibrun of TACC, which starts the launcher of the site.
    Ibrun,
    /// jsrun of LSF.
    Jsrun,
}

/// How a launcher reads its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `-name VALUE` and `--name VALUE` mean the same; letters do not join.
    Words,
    /// getopt_long: `-n4`, `-n 4`, `--name=VALUE`, `--name VALUE`, shortened names, `--` at the end.
    Getopt,
}

/// Options of a launcher by the number of words that follow them, separated by blanks. A getopt option has one letter or a long name.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How they are read.
    pub style: Style,
    /// No word follows.
    pub none: &'static str,
    /// One word follows.
    pub one: &'static str,
    /// Two words follow.
    pub two: &'static str,
    /// The value, if any, is in the same word.
    pub optional: &'static str,
    /// The number of ranks.
    pub ranks: &'static str,
    /// The directory of the ranks.
    pub directory: &'static str,
    /// They may put ranks on other hosts.
    pub hosts: &'static str,
    /// With them the line does not name the program, or names it to copy it.
    pub hidden: &'static str,
}

const OPEN_MPI_4: Options = Options {
    style: Style::Words,
    none: "allow-run-as-root bind-to-core bind-to-socket bycore bynode byslot continuous d debug-devel debug debug-daemons \
        debug-daemons-file disable-recovery display-allocation display-devel-allocation display-devel-map \
        display-diffable-map display-map display-topo do-not-launch do-not-resolve dvm enable-instant-on-support \
        enable-recovery fwd-mpirun-port get-stack-traces index-argv-by-rank leave-session-attached \
        merge-stderr-to-stdout nolocal nooversubscribe noprefix novm nousize output-proctable oversubscribe pernode q quiet \
        report-bindings report-child-jobs-separately report-state-on-timeout set-cwd-to-session-dir show-progress tag-output \
        timestamp-output tv use-hwthread-cpus use-regexp v verbose xml",
    one: "am bind-to c np n N cf cartofile cpu-list cpu-set cpus-per-proc cpus-per-rank debugger default-hostfile H host hnp \
        hostfile launch-agent machinefile map-by max-restarts max-vm-size npernode npersocket ompi-server \
        output-filename path personality ppr prefix preload-files rank-by report-events report-pid \
        report-uri rf rankfile stdin timeout tune wd wdir x xml-file xterm",
    two: "gmca mca omca pmca",
    optional: "",
    ranks: "n np c",
    directory: "wd wdir",
    hosts: "H host hostfile machinefile default-hostfile hnp ompi-server",
    hidden: "app s preload-binary",
};

const OPEN_MPI_5: Options = Options {
    style: Style::Words,
    none: "abort-on-nonzero-status allow-run-as-root bynode bycore byslot continuous d debug-devel debug-daemons \
        debug-daemons-file display-allocation display-devel-allocation display-devel-map display-map \
        do-not-launch do-not-resolve enable-recovery disable-recovery exec-agent fwd-environment get-stack-traces \
        index-argv-by-rank keepalive keep-fqdn-hostnames leave-session-attached merge-stderr-to-stdout no-app-prefix \
        nolocal no-ready-msg nooversubscribe noprefix novm oversubscribe pernode q quiet report-bindings \
        report-child-jobs-separately report-state-on-timeout set-cwd-to-session-dir set-sid show-progress stop-on-exec system-server \
        tag-output timestamp-output tv use-hwthread-cpus v verbose xml daemonize do-not-connect",
    one: "am app-prefix bind-to c np n N cpu-list cpu-set default-hostfile display display-topo forward-signals H host hostfile launch-agent dvm dvm-hostfile \
        machinefile map-by max-restarts max-vm-size mem-alloc-kind memory-alloc-kinds npernode npersocket num-connect-retries \
        ompi-server output output-filename output-directory path personality prefix prtemca-file preload-files pset \
        rank-by rankfile rf report-pid report-uri rtos runtime-options singleton spawn-timeout stream-buffering stdin timeout \
        tune wd wdir with-ft x xterm unset-env prepend-env append-env",
    two: "gmca mca omca pmca prtemca pmixmca gpmixmca gprtemca",
    optional: "",
    ranks: "n np c",
    directory: "wd wdir",
    hosts: "H host hostfile machinefile default-hostfile dvm dvm-hostfile ompi-server",
    hidden: "app s preload-binary",
};

const HYDRA: Options = Options {
    style: Style::Words,
    none: "genvnone genvall envnone envall enable-x disable-x disable-auto-cleanup disable-hostname-propagation hybrid-hosts info \
        prepend-rank l print-all-exitcodes print-rank-map profile skip-launch-node verbose v debug aps mps gdb silent-abort nolocal \
        prepend-timestamp prot ilp64 perhost-all pmi-port rr",
    one: "genvlist f hosts host machinefile hostfile rankmap wdir wd dir path configuration envlist n np launcher launcher-exec \
        bootstrap bootstrap-exec bootstrap-exec-args rmk topolib bind-to map-by binding mapping membind demux errfile-pattern \
        outfile-pattern errfile outfile gpus-per-proc iface localhost nameserver order-nodes ppn perhost grr \
        prepend-pattern usize memory-alloc-kinds arch soft gtool hosts-group s tune cpu-bind branch-count port range \
        env-file gpu-subdevs-per-proc pmi-args timeout",
    two: "genv env",
    optional: "",
    ranks: "n np",
    directory: "wdir wd dir",
    hosts: "f hosts host machinefile hostfile hosts-group",
    hidden: "configfile gtoolfile gdb-args",
};

const SRUN: Options = Options {
    style: Style::Getopt,
    none: "E H k l O s u v X Q Z allow-killing contiguous disable-status exact hold interactive label no-allocate no-bell \
        no-kill oom-kill-step overcommit overlap oversubscribe share preserve-env pty quiet quit-on-interrupt reboot \
        resv-ports spread-job unbuffered use-min-nodes verbose mpi-combine bell gres-flags-none stepmgr external",
    one: "A b B c C d D e G i J L m M n N o p q r S t T w W x a account acctg-freq bb bbf begin bcast-exclude cluster-constraint \
        clusters comment constraint container container-id core-spec cores-per-socket cpu-bind cpu-freq cpus-per-gpu \
        cpus-per-task chdir cwd deadline delay-boot dependency distribution epilog error exclude export export-file \
        extra extra-node-info gid gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket gpus-per-task gres gres-flags \
        hint het-group pack-group input job-name jobid licenses mail-type mail-user max-exit-timeout max-threads mcs-label \
        mem mem-bind mem-per-cpu mem-per-gpu mincpus mpi msg-timeout multi network nodefile nodelist nodes ntasks \
        ntasks-per-core ntasks-per-gpu ntasks-per-node ntasks-per-socket ntasks-per-tres open-mode output partition power \
        priority profile prolog qos relative reservation signal slurmd-debug sockets-per-node switches task-epilog \
        task-prolog tasks-per-node thread-spec threads threads-per-core time time-min tmp tree-width tres-bind \
        tres-per-task uid wait wckey x11-target prefer consolidate-segments segment",
    two: "",
    optional: "I K compress midrun exclusive immediate kill-on-bad-exit nice propagate send-libs wait-all-nodes x11",
    ranks: "n ntasks",
    directory: "D chdir cwd",
    hosts: "",
    hidden: "bcast multi-prog container",
};

const APRUN: Options = Options {
    style: Style::Words,
    none: "b bypass-app-transfer B batch-args C reconnect q quiet silent ss strict-memory-containment T sync-output z zone-sort",
    one: "a architecture cc cpu-binding cp cpu-binding-file d cpus-per-pe D debug e environment-override E exclude-node-list \
        exclude-node-list-file F access-mode j cpus-per-cu L node-list l node-list-file m memory-per-pe M mpmd-env n pes N pes-per-node p \
        protection-domain p-governor p-state P pipes r specialized-cpus R relaunch S pes-per-numa-node sl numa-node-list sn \
        numa-nodes-per-node t cpu-time-limit Z zone-sort-secs wdir",
    two: "",
    optional: "",
    ranks: "n pes",
    directory: "wdir",
    hosts: "",
    hidden: "",
};

const PALS: Options = Options {
    style: Style::Words,
    none: "l line-buffer label abort-on-failure no-abort-on-failure cpu-bind-verbose envall envnone exclusive \
        genvall genvnone no-transfer rlimits-all strict sync-output verbose v no-vni non-mpi",
    one: "n np ntasks N ppn d depth c host hosts hostfile hostlist cpu-bind e env envlist genv genvlist exclude-hosts \
        gpu-bind include-tasks max-ppn mem-bind mem-policy network num-vnis output-filename p pmi procinfo-file \
        reserve-cores rlimits shared size stdin umask wdir cores-per-rank C line-reader scheduler zone-sort",
    two: "",
    optional: "",
    ranks: "n np ntasks",
    directory: "wdir",
    hosts: "",
    hidden: "transfer configfile",
};

const FLUX: Options = Options {
    style: Style::Getopt,
    none: "exclusive x unbuffered u label-io l verbose v dry-run quiet debug debug-emulate wait-event-none",
    one: "n ntasks N nodes c cores-per-task g gpus-per-task tasks-per-node tasks-per-core cores gpus-per-node t time-limit \
        urgency job-name o setopt S setattr env env-remove env-file conf cwd flags queue q bank B requires dependency begin-time \
        input output error rlimit add-file taskmap signal wait-event",
    two: "",
    optional: "",
    ranks: "n ntasks",
    directory: "cwd",
    hosts: "",
    hidden: "",
};

const IBRUN: Options = Options {
    style: Style::Words,
    none: "v verbose dry-run",
    one: "n np o",
    two: "",
    optional: "",
    ranks: "n np",
    directory: "",
    hosts: "",
    hidden: "",
};

const JSRUN: Options = Options {
    style: Style::Getopt,
    none: "i immediate V help",
    one: "n nrs a tasks_per_rs c cpu_per_rs g gpu_per_rs r rs_per_host p np l latency_priority d launch_distribution b bind E env D \
        env_no_propagate F env_eval h chdir m memory_per_rs e stdio_mode k stdio_stderr o stdio_stdout t stdio_input K rs_per_socket L \
        use_spindle M smpiargs P pre_post_exec S save_resources U use_resources X exit_on_error Z stdio_stdin",
    two: "",
    optional: "",
    ranks: "p np",
    directory: "h chdir",
    hosts: "",
    hidden: "f appfile A erf_input",
};

/// Variables of allocations and of lists of hosts: with them a launcher may use other hosts than this one.
const ALLOCATIONS: [&str; 12] = [
    "SLURM_JOB_NODELIST",
    "PBS_NODEFILE",
    "LSB_HOSTS",
    "LSB_DJOB_HOSTFILE",
    "PE_HOSTFILE",
    "FLUX_URI",
    "COBALT_NODEFILE",
    "OMPI_MCA_orte_default_hostfile",
    "PRTE_MCA_prte_default_hostfile",
    "HYDRA_HOST_FILE",
    "I_MPI_HYDRA_HOST_FILE",
    "MPIR_CVAR_HOSTFILE",
];

impl Launcher {
    /// The launcher of this name; where several MPIs have one of that name, its file says which it is.
    pub fn of(name: &str, path: Option<&Path>) -> Option<(Launcher, mpi::LauncherVersion)> {
        let any = |name: &str| mpi::LauncherVersion { mpi: None, version: name.to_owned() };
        Some(match name {
            "srun" => (Launcher::Srun, any(name)),
            "flux" => (Launcher::Flux, any(name)),
            "ibrun" => (Launcher::Ibrun, any(name)),
            "jsrun" => (Launcher::Jsrun, any(name)),
            "prterun" => (Launcher::OpenMpi5, any("PRRTE")),
            "mpirun" | "mpiexec" | "orterun" | "aprun" => {
                let text = path.map(mpi::version_text).unwrap_or_default();
                let of_name = if name == "aprun" { Launcher::Aprun } else { Launcher::Hydra };
                (Launcher::of_version(&text).unwrap_or(of_name), mpi::parse_version(&text))
            }
            _ => return None,
        })
    }

    /// The launcher that says this of its version.
    fn of_version(text: &str) -> Option<Launcher> {
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if says(&["PALS", "pals"]) {
            return Some(Launcher::Pals);
        }
        let version = mpi::parse_version(text);
        let major =
            version.version.split_whitespace().last().and_then(|last| last.split('.').next()?.parse::<u32>().ok());
        match version.mpi? {
            mpi::Flavour::OpenMpi if major.is_some_and(|major| major < 5) => Some(Launcher::OpenMpi4),
            mpi::Flavour::OpenMpi => Some(Launcher::OpenMpi5),
            mpi::Flavour::Mpich => Some(Launcher::Hydra),
            mpi::Flavour::Abi => None, // no launcher's
        }
    }

    /// Its options.
    pub fn options(self) -> &'static Options {
        match self {
            Launcher::OpenMpi4 => &OPEN_MPI_4,
            Launcher::OpenMpi5 => &OPEN_MPI_5,
            Launcher::Hydra => &HYDRA,
            Launcher::Srun => &SRUN,
            Launcher::Aprun => &APRUN,
            Launcher::Pals => &PALS,
            Launcher::Flux => &FLUX,
            Launcher::Ibrun => &IBRUN,
            Launcher::Jsrun => &JSRUN,
        }
    }

    /// Whether programs of one line are separated by colons.
    pub fn has_colons(self) -> bool {
        !matches!(self, Launcher::Flux | Launcher::Ibrun | Launcher::Jsrun)
    }

    /// Whether ranks may run on other hosts, as far as the launcher itself and the environment say.
    pub fn may_leave_host(self, variable: impl Fn(&str) -> bool) -> bool {
        match self {
            Launcher::OpenMpi4 | Launcher::OpenMpi5 | Launcher::Hydra => ALLOCATIONS.into_iter().any(variable),
            _ => true,
        }
    }

    /// Whether it hands each word of the line to the ranks unchanged; a script may take words with blanks apart.
    pub fn keeps_words(self) -> bool {
        self != Launcher::Ibrun
    }
}

/// An option in a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read<'a> {
    /// It is none: the program, or another word.
    NoOption,
    /// The end of the options.
    End,
    /// A known one: its name, its value if it has one, and the number of further words that it takes.
    Known { name: &'a str, value: Option<&'a str>, takes: usize },
    /// An unknown one.
    Unknown,
}

impl Options {
    /// Reads the option at the start of `words`.
    pub fn read<'a>(&'a self, words: &'a [String]) -> Read<'a> {
        let Some(word) = words.first().map(String::as_str) else { return Read::NoOption };
        if word == "--" {
            return Read::End;
        }
        let Some(text) = word.strip_prefix('-').filter(|text| !text.is_empty()) else { return Read::NoOption };
        let next = words.get(1).map(String::as_str);
        match (self.style, text.strip_prefix('-')) {
            (Style::Words, long) => {
                self.read_named(long.unwrap_or(text), next).unwrap_or_else(|| self.read_joined(text))
            }
            (Style::Getopt, Some(long)) => self.read_named(long, next).unwrap_or(Read::Unknown),
            (Style::Getopt, None) => self.read_letters(text, next),
        }
    }

    /// `name`, `name=VALUE`, or with getopt the begin of one name.
    fn read_named<'a>(&'a self, text: &'a str, next: Option<&'a str>) -> Option<Read<'a>> {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let name = self.full_name(name)?;
        if value.is_some() || has(self.none, name) || has(self.optional, name) {
            return Some(Read::Known { name, value, takes: 0 });
        }
        let takes = if has(self.two, name) { 2 } else { 1 };
        Some(Read::Known { name, value: next, takes })
    }

    fn full_name<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        let all =
            || [self.none, self.one, self.two, self.optional, self.hidden].into_iter().flat_map(str::split_whitespace);
        if let Some(exact) = all().find(|known| *known == name) {
            return Some(exact);
        }
        let mut longer = all().filter(|known| self.style == Style::Getopt && name.len() > 1 && known.starts_with(name));
        longer.next().filter(|_| longer.next().is_none())
    }

    /// `-n4` of a launcher that else takes words: a known letter with a number.
    fn read_joined<'a>(&'a self, text: &'a str) -> Read<'a> {
        match text.split_at_checked(1) {
            Some((name, value)) if has(self.one, name) && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                Read::Known { name, value: Some(value), takes: 0 }
            }
            _ => Read::Unknown,
        }
    }

    /// `-lvn4`: letters without a value, then perhaps one with.
    fn read_letters<'a>(&'a self, text: &'a str, next: Option<&'a str>) -> Read<'a> {
        for (at, letter) in text.char_indices() {
            let (name, rest) = (&text[at..at + letter.len_utf8()], &text[at + letter.len_utf8()..]);
            if has(self.one, name) || has(self.hidden, name) {
                let takes = usize::from(rest.is_empty());
                return Read::Known { name, value: if rest.is_empty() { next } else { Some(rest) }, takes };
            }
            if has(self.optional, name) {
                return Read::Known { name, value: Some(rest), takes: 0 };
            }
            if !has(self.none, name) {
                return Read::Unknown;
            }
        }
        Read::Known { name: &text[..1], value: None, takes: 0 }
    }
}

/// Whether the list has the name.
pub fn has(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|known| known == name)
}
