# A private Slurm on 127.0.0.1: munged, one slurmctld, two slurmd (n1 and n2, two CPUs each). To be sourced, as root.
#   start_slurm FOLDER   keeps all its files below this folder; exports SLURM_CONF
#   start_controller, end_controller
#   start_node n1        also after kill_node
#   kill_node n1         kills slurmd and all that runs on the node at once, as when its power fails
#   stop_slurm           leaves no process behind; may be called at any time
# Another Slurm on the machine is neither used nor disturbed: this one has ports, keys and a configuration of its own.

PATH="$PATH:/usr/sbin:/sbin"
slurm_folder=
declare -A slurm_daemons=() # processes by name

free_port() { # prints an unused port, below those that connections are given
    local port
    while :; do
        port=$((20000 + RANDOM % 12000))
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}

wait_until() { # SECONDS COMMAND...
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || { echo "gave up waiting until: $*" >&2; return 1; }
        sleep 0.1
    done
}

start_daemon() { # NAME COMMAND...
    local name=$1
    shift
    setsid "$@" >>"$slurm_folder/$name.log" 2>&1 &
    slurm_daemons[$name]=$!
    disown
}

# The processes of this Slurm are recognised by their environment; each task of a node has a `slurmstepd` above it.
slurm_processes() { # [NODE]: its processes, parents first
    local environment process parent found=()
    for environment in $(env -u SLURM_CONF grep -slzxF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ); do
        process=${environment//[!0-9]/}
        if [ $# -gt 0 ] && ! grep -sqzxF "SLURMD_NODENAME=$1" "$environment"; then
            continue
        fi
        parent=$(awk '/^PPid:/ { print $2 }' "/proc/$process/status" 2>/dev/null || true)
        if grep -sqx slurmstepd "/proc/${parent:-0}/comm"; then
            found=("$parent" "${found[@]}")
        fi
        found+=("$process")
    done
    echo "${found[@]}"
}

start_controller() {
    start_daemon slurmctld slurmctld -D
}

is_gone() { # PROCESS
    ! kill -0 "$1"
}

end_controller() { # as for an update: the controller saves its state
    kill "${slurm_daemons[slurmctld]}"
    wait_until 60 is_gone "${slurm_daemons[slurmctld]}"
}

start_node() { # NAME
    start_daemon "$1" slurmd -D -N "$1"
}

kill_node() { # NAME
    local process
    kill -9 "${slurm_daemons[$1]}"
    for process in $(slurm_processes "$1"); do
        kill -9 "$process" 2>/dev/null || true
    done
}

nodes_are_idle() {
    [ "$(sinfo --noheader --Node --states=idle --format=%N | wc -l)" -eq 2 ]
}

write_slurm_conf() {
    local host address any=
    host=$(hostname -s)
    # Daemons listen on their host's address only if that belongs to this machine alone.
    address=$(getent ahostsv4 "$host" | awk 'NR == 1 { print $1 }' || true)
    case "$address" in
        127.*) any=CommunicationParameters=NoInAddrAny,NoCtldInAddrAny ;;
        *) address=127.0.0.1 ;;
    esac
    cat >"$SLURM_CONF" <<END
ClusterName=berth
SlurmctldHost=$host($address)
SlurmctldPort=$(free_port)
$any
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm_folder/munge/socket
CredType=cred/munge
StateSaveLocation=$slurm_folder/state
SlurmdSpoolDir=$slurm_folder/%n
SlurmctldPidFile=$slurm_folder/slurmctld.pid
SlurmdPidFile=$slurm_folder/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
SlurmctldTimeout=5
SlurmdTimeout=3
MessageTimeout=2
KillWait=1
InactiveLimit=0
NodeName=n1 NodeHostname=$host NodeAddr=$address Port=$(free_port) CPUs=2
NodeName=n2 NodeHostname=$host NodeAddr=$address Port=$(free_port) CPUs=2
PartitionName=debug Nodes=n1,n2 Default=YES State=UP
END
}

start_slurm() { # FOLDER
    slurm_folder=$1
    export SLURM_CONF=$slurm_folder/slurm.conf
    chmod 711 "$slurm_folder" # munged runs as another user and must also get through the folders above
    mkdir "$slurm_folder"/{munge,state,n1,n2}
    head -c 1024 /dev/urandom >"$slurm_folder/munge/key"
    chmod 600 "$slurm_folder/munge/key"
    chmod 711 "$slurm_folder/munge"
    chown -R munge:munge "$slurm_folder/munge"
    start_daemon munged setpriv --reuid=munge --regid=munge --clear-groups munged --foreground \
        --key-file="$slurm_folder/munge/key" --socket="$slurm_folder/munge/socket" \
        --pid-file="$slurm_folder/munge/pid" --seed-file="$slurm_folder/munge/seed" \
        --log-file="$slurm_folder/munge/log"
    wait_until 60 test -S "$slurm_folder/munge/socket"
    write_slurm_conf
    start_controller
    start_node n1
    start_node n2
    wait_until 60 nodes_are_idle
}

stop_slurm() {
    local process round
    [ -n "$slurm_folder" ] || return 0
    for round in 1 2 3; do # later rounds end what a daemon started meanwhile
        for process in "${slurm_daemons[@]}" $(slurm_processes); do
            kill -9 "$process" 2>/dev/null || true
        done
    done
    slurm_folder=
}
