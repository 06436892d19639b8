"""A plain model of how Slurm starts jobs, written from the rules in docs/reference/slurm-decisions.md.

It keeps nothing between passes and copies whole clusters, so that it is slow and easy to check. Times are integers in
milliseconds since the start of the recording; what is decided in seconds goes by the clock of the controller. It does
not guess how long jobs run: with recorded passes it takes only requests that say it.
"""

import json
import sys

LONGEST_EPILOG_MS = 100
USUAL_EPILOG_MS = 550
EVICTION_MS = 600
REQUEUE_MS = 121000
CONTROLLER_START_MS = 3500
LAUNCH_MS = 300
STEP_MS = 100
TICK_MS = 1000
CHECK_MS = 30000
FOREVER = 10**15


def host_list(text):
    """The names that a host list such as n[1-3,7],m2 stands for, in its order."""
    names, depth, part = [], 0, ''
    for char in text + ',':
        depth += (char == '[') - (char == ']')
        if char != ',' or depth:
            part += char
            continue
        names += expand_brackets(part) if part else []
        part = ''
    return names


def expand_brackets(part):
    if '[' not in part:
        return [part]
    head, rest = part.split('[', 1)
    inner, tail = rest.split(']', 1)
    numbers = []
    for piece in inner.split(','):
        first, _, last = piece.partition('-')
        last = last or first
        numbers += [str(n).zfill(len(first)) for n in range(int(first), int(last) + 1)]
    return [head + n + t for n in numbers for t in expand_brackets(tail)]


def short_list(names):
    """The host list of names in the order given, as Slurm prints it for one run of digits at the end."""
    out, group, prefix = [], [], None

    def flush():
        if not group:
            return
        spans = []
        for digits in group:
            if spans and int(digits) == int(spans[-1][1]) + 1 and len(digits) >= len(spans[-1][1]):
                spans[-1][1] = digits
            else:
                spans.append([digits, digits])
        inner = ','.join(a if a == b else f'{a}-{b}' for a, b in spans)
        out.append(f'{prefix}{inner}' if len(group) == 1 else f'{prefix}[{inner}]')

    for name in names:
        stem = name.rstrip('0123456789')
        digits = name[len(stem):]
        if not digits:
            flush()
            group, prefix = [], None
            out.append(name)
            continue
        if stem != prefix:
            flush()
            group, prefix = [], stem
        group.append(digits)
    flush()
    return ','.join(out)


def minutes(text):
    """Minutes of a time of Slurm: M, M:S, H:M:S, D-H, D-H:M, D-H:M:S; seconds are rounded up."""
    if str(text).upper() in ('UNLIMITED', 'INFINITE', '-1'):
        return None
    days, dash, rest = str(text).rpartition('-')
    parts = [int(p) for p in rest.split(':')]
    if dash:
        parts += [0] * (3 - len(parts))
        seconds = int(days) * 86400 + parts[0] * 3600 + parts[1] * 60 + parts[2]
    elif len(parts) == 1:
        seconds = parts[0] * 60
    elif len(parts) == 2:
        seconds = parts[0] * 60 + parts[1]
    else:
        seconds = parts[0] * 3600 + parts[1] * 60 + parts[2]
    return -(-seconds // 60)


class Node:
    def __init__(self, index, spec):
        self.index = index
        self.name = spec['name']
        self.sockets = spec.get('sockets', 1)
        self.cores = spec.get('cores_per_socket', 1)
        self.threads = spec.get('threads_per_core', 1)
        self.memory = spec.get('memory_mib', 1)
        self.weight = spec.get('weight', 1)
        self.gpus = [kind for kind, count in spec.get('gpus', {}).items() for _ in range(count)]
        self.gpu_sockets = None
        if spec.get('gpu_cores'):
            self.gpu_sockets = []
            for text in spec['gpu_cores']:
                cores = [int(n) for n in host_list('[' + text + ']')]
                self.gpu_sockets.append({core // self.cores for core in cores})


class State:
    """What is free on each node."""

    def __init__(self, nodes):
        self.cores = [set(range(n.sockets * n.cores)) for n in nodes]
        self.memory = [n.memory for n in nodes]
        self.gpus = [set(range(len(n.gpus))) for n in nodes]
        self.jobs = [0] * len(nodes)

    def copy(self):
        other = State([])
        other.cores = [set(s) for s in self.cores]
        other.memory = list(self.memory)
        other.gpus = [set(s) for s in self.gpus]
        other.jobs = list(self.jobs)
        return other

    def take(self, where, sign=1):
        for index, cores, memory, gpus in where:
            if sign > 0:
                self.cores[index] -= cores
                self.gpus[index] -= gpus
            else:
                self.cores[index] |= cores
                self.gpus[index] |= gpus
            self.memory[index] -= sign * memory
            self.jobs[index] += sign


class Job:
    def __init__(self, spec, order, conf):
        self.spec = spec
        self.name = spec['name']
        self.order = order
        self.task = 0
        self.array = None
        self.throttle = None
        self.submit = round(spec.get('submit_s', spec.get('planned_submit_s', 0)) * 1000)
        self.eligible = self.submit
        self.user = spec.get('user', '')
        self.account = spec.get('account', '')
        self.qos = spec.get('qos')
        self.limit = spec['time_limit_min']
        self.cpus_per_task = spec.get('cpus_per_task', 1)
        self.per_node = spec.get('tasks_per_node', 0)
        self.min_nodes = spec.get('nodes', 1)
        self.max_nodes = spec.get('nodes', FOREVER)
        self.tasks = spec.get('ntasks') or (self.per_node or 1) * self.min_nodes
        self.cpus = self.tasks * self.cpus_per_task
        self.pn_cpus = max(1, self.per_node) * self.cpus_per_task
        self.mem = spec.get('mem')
        self.gpus_each = read_gres(spec.get('gres'))
        self.gpus_total = int(str(spec['gpus']).split(':')[-1]) if spec.get('gpus') else 0
        self.licenses = {a: int(b or 1) for a, _, b in
                         (x.partition(':') for x in spec.get('licenses', '').split(',') if x)}
        self.after = spec.get('after')
        self.exclusive = spec.get('exclusive', False)
        self.length_is_known = 'run_s' in spec
        self.run = round(1000 * spec['run_s']) if 'run_s' in spec else round(1000 * spec['sleep_s']) + LAUNCH_MS
        self.partition = None
        self.priority = 0
        self.start = self.end = self.where = None
        self.starts = []
        self.state = 'waiting'
        self.not_before = 0
        self.evicted = self.returns = self.beyond = False


def read_gres(text):
    """(type or None, count) for each part of gpu:TYPE:COUNT,..."""
    wanted = []
    for part in (text or '').split(','):
        fields = part.split(':')
        if fields[0] == 'gpu':
            typed = len(fields) > 2 or (len(fields) == 2 and not fields[1].isdigit())
            count = int(fields[-1]) if fields[-1].isdigit() else 1
            wanted.append((fields[1] if typed else None, count))
    return wanted


class Chooser:
    """Which nodes a job gets of those that it may use, and what on each of them."""

    def __init__(self, nodes, conf):
        self.nodes = nodes
        self.conf = conf

    def memory_of(self, job, node, cpus):
        if not self.conf['memory']:
            return 0
        if job.mem is not None:
            return job.mem or node.memory
        per_cpu = self.conf['def_mem_per_cpu']
        if per_cpu:
            return per_cpu * cpus
        return self.conf['def_mem_per_node'] or node.memory

    def pick_gpus(self, job, node, free, sockets=None):
        """The lowest free devices that a job wants on this node, or None."""
        taken = set()
        for kind, count in job.gpus_each:
            left = [g for g in sorted(free) if g not in taken and (kind is None or node.gpus[g] == kind)
                    and (sockets is None or node.gpu_sockets is None or node.gpu_sockets[g] & sockets)]
            if len(left) < count:
                return None
            taken |= set(left[:count])
        return taken

    def sockets_near(self, job, node, free_gpus):
        """The sockets whose cores count in the first pass of a job with GPUs that have Cores: those with enough GPUs
        for all that the job wants here, else all with any."""
        wanted = sum(count for _, count in job.gpus_each)
        each = {s: sum(s in node.gpu_sockets[g] for g in free_gpus) for s in range(node.sockets)}
        return {s for s, n in each.items() if wanted and n >= wanted} or {s for s, n in each.items() if n}

    def offer(self, job, node, state, near_only):
        """How many CPUs a node has for a job; 0 if it cannot be used."""
        i = node.index
        threads = node.threads
        cores = state.cores[i]
        if job.exclusive and state.jobs[i]:
            return 0
        gpus = None
        if job.gpus_each:
            gpus = self.pick_gpus(job, node, state.gpus[i])
            if gpus is None:
                return 0
        if near_only and node.gpu_sockets and (job.gpus_each or job.gpus_total):
            near = self.sockets_near(job, node, state.gpus[i])
            cores = {c for c in cores if c // node.cores in near}
        cpus = len(cores) * threads
        if not self.conf['memory'] or job.mem is not None or not self.conf['def_mem_per_cpu']:
            if state.memory[i] < self.memory_of(job, node, cpus):
                return 0
        else:
            cpus = min(cpus, state.memory[i] // self.conf['def_mem_per_cpu'])
        cpus -= cpus % job.cpus_per_task
        need = job.cpus if job.max_nodes == 1 else job.pn_cpus
        if cpus < need or cpus < 1:
            return 0
        if job.gpus_each and not job.exclusive:
            cpus = min(cpus, job.pn_cpus if job.per_node else max(1, job.cpus - (job.min_nodes - 1)))
        return cpus

    def choose(self, job, usable, state, min_nodes, max_nodes, busy_first=False):
        """[(index, cpus)] on the usable nodes, or None."""
        for near_only in ((True, False) if self.has_cores(job) else (False,)):
            cpus = {i: self.offer(job, self.nodes[i], state, near_only) for i in usable}
            cpus = {i: c for i, c in cpus.items() if c}
            if job.tasks and max_nodes > job.tasks:
                max_nodes = max(job.tasks, min_nodes)
            got = self.try_levels(job, cpus, state, min_nodes, max_nodes, busy_first)
            if got:
                return got
        return None

    def has_cores(self, job):
        return bool(job.gpus_each or job.gpus_total) and any(n.gpu_sockets for n in self.nodes)

    def try_levels(self, job, cpus, state, min_nodes, max_nodes, busy_first):
        got = self.evaluate(job, cpus, state, min_nodes, max_nodes, busy_first)
        if got or not cpus:
            return got
        left = dict(cpus)
        for count in range(1, max(cpus.values())):
            gone = [i for i in sorted(left) if left[i] <= count]
            changed = False
            for i in gone:
                if len(left) <= min_nodes:
                    break
                del left[i]
                changed = True
            if not changed and count != 1:
                continue
            got = self.evaluate(job, left, state, min_nodes, max_nodes, busy_first)
            if got:
                return got
        return None

    def evaluate(self, job, cpus, state, min_nodes, max_nodes, busy_first):
        if len(cpus) < min_nodes:
            return None
        if self.conf['lln']:
            return self.least_loaded(job, cpus, state, min_nodes, max_nodes)
        return self.best_runs(job, cpus, state, min_nodes, max_nodes)

    def least_loaded(self, job, cpus, state, min_nodes, max_nodes):
        taken, rest, gpus = [], job.cpus, job.gpus_total

        def rank(i):
            node = self.nodes[i]
            total = node.sockets * node.cores * node.threads
            return (node.weight, -len(state.cores[i]) * node.threads * 10**9 // total, i)

        for i in sorted(cpus, key=rank):
            if (len(taken) >= min_nodes and rest <= 0 and gpus <= 0) or len(taken) == max_nodes:
                break
            give = self.give(job, cpus[i], rest, max(0, min_nodes - len(taken)), self.nodes[i])
            taken.append((i, give))
            rest -= give
            gpus -= len(state.gpus[i])
        return sorted(taken) if len(taken) >= min_nodes and rest <= 0 and gpus <= 0 else None

    def give(self, job, free, rest, rest_nodes, node):
        """The CPUs of a node that a job takes, so that one is left for each further node."""
        if job.exclusive:
            return free
        rest -= max(0, rest_nodes - 1) * node.threads
        return free if free <= rest else max(rest, job.pn_cpus)

    def runs_of(self, cpus, weights):
        runs, last = [], None
        for i in range(len(self.nodes)):
            if i in cpus:
                if last == (i - 1, weights[i]):
                    runs[-1].append(i)
                else:
                    runs.append([i])
                last = (i, weights[i])
        return runs

    def best_runs(self, job, cpus, state, min_nodes, max_nodes):
        weights = {i: (self.nodes[i].weight, -len(state.gpus[i]) if job.gpus_total else 0) for i in cpus}
        runs = self.runs_of(cpus, weights)
        taken, rest, rest_nodes, room, gpus = [], job.cpus, min_nodes, max_nodes, job.gpus_total
        while runs and room > 0:
            best = None
            for run in runs:
                total = sum(cpus[i] for i in run)
                enough = total >= rest and len(run) >= rest_nodes
                if gpus > 0:
                    enough = enough and sum(len(state.gpus[i]) for i in run) >= gpus
                if best is None or weights[run[0]] < best[3] or (weights[run[0]] == best[3] and (
                        (enough and not best[2]) or (enough and total < best[1]) or (not enough and total > best[1]))):
                    best = (run, total, enough, weights[run[0]])
            run = best[0]
            if rest_nodes <= 1:
                single = [i for i in run if cpus[i] >= rest and len(state.gpus[i]) >= gpus]
                if single:
                    run = [min(single, key=lambda i: (cpus[i], i))]
            for i in run:
                if room <= 0 or (rest_nodes <= 0 and rest <= 0 and gpus <= 0):
                    break
                give = self.give(job, cpus[i], rest, rest_nodes, self.nodes[i])
                taken.append((i, give))
                rest, rest_nodes, room = rest - give, rest_nodes - 1, room - 1
                gpus -= len(state.gpus[i])
            if rest <= 0 and rest_nodes <= 0 and gpus <= 0:
                return sorted(taken)
            runs.remove(best[0])
        return None

    def allocate(self, job, chosen, state):
        """[(index, cores, memory, gpus)] of what a job takes on the chosen nodes."""
        where, gpus_left = [], job.gpus_total
        for i, cpus in chosen:
            node = self.nodes[i]
            if job.exclusive:
                cpus = node.sockets * node.cores * node.threads
            elif job.per_node:
                cpus = job.pn_cpus
            gpus = self.pick_near_gpus(job, node, state, -(-cpus // node.threads))
            if job.gpus_total:
                gpus = set(sorted(state.gpus[i])[:gpus_left])
                gpus_left -= len(gpus)
            cores = self.pick_cores(job, node, state.cores[i], -(-cpus // node.threads), gpus)
            where.append((i, cores, self.memory_of(job, node, cpus), gpus))
        return where

    def pick_near_gpus(self, job, node, state, cores):
        """The devices of a job on a node: of one socket if one has enough devices and cores."""
        free = state.gpus[node.index]
        if node.gpu_sockets and job.gpus_each:
            near = sorted(self.sockets_near(job, node, free))
            for s in near:
                if sum(c // node.cores == s for c in state.cores[node.index]) >= cores:
                    gpus = self.pick_gpus(job, node, free, {s})
                    if gpus is not None:
                        return gpus
        return self.pick_gpus(job, node, free) or set()

    def pick_cores(self, job, node, free, count, gpus):
        near = set()
        if node.gpu_sockets:
            for g in gpus:
                near |= node.gpu_sockets[g]
        by_socket = [[c for c in sorted(free) if c // node.cores == s] for s in range(node.sockets)]
        order = sorted(range(node.sockets), key=lambda s: (s not in near, s)) if near else range(node.sockets)
        lists = [by_socket[s] for s in order]
        taken = set()
        groups = [[some for s, some in zip(order, lists) if (s in near) == wanted] for wanted in (True, False)]
        for group in groups:
            turn = 0
            while len(taken) < count and any(group):
                if group[turn % len(group)]:
                    taken.add(group[turn % len(group)].pop(0))
                turn += 1
        return taken


def default_priority(version):
    return 'priority/multifactor' if version >= '23.11' else 'priority/basic'


class Twin:
    """One whole run."""

    def __init__(self, request):
        conf = {k.lower(): v for k, v in request['cluster'].get('slurm_conf', {}).items()}
        self.parameters = {}
        for part in conf.get('schedulerparameters', '').split(','):
            key, _, value = part.partition('=')
            self.parameters[key] = value or '1'
        self.version = request.get('slurm', 'slurm 22.05').split()[-1][:5]
        types = conf.get('selecttypeparameters', 'CR_Core_Memory').upper().split(',')
        self.conf = {
            'def_mem_per_cpu': int(conf.get('defmempercpu', 0)),
            'def_mem_per_node': int(conf.get('defmempernode', 0)),
            'lln': 'CR_LLN' in types,
            'by_core': 'CR_CPU_MEMORY' not in types and 'CR_CPU' not in types,
            'backfill': conf.get('schedulertype', 'sched/backfill').endswith('backfill'),
            'preempt': conf.get('preempttype', 'preempt/none').split('/')[-1],
            'preempt_mode': conf.get('preemptmode', 'OFF').upper(),
            'memory': any(kind.endswith('_MEMORY') for kind in types),
            'priority': conf.get('prioritytype', default_priority(self.version)).split('/')[-1],
            'raw': conf,
        }
        self.base = round(request.get('clock_s_since_1970_at_0', 0) * 1000)
        self.nodes = [Node(i, n) for i, n in enumerate(request['cluster']['nodes'])]
        self.index = {n.name: n.index for n in self.nodes}
        self.partitions = {}
        for spec in request['cluster']['partitions']:
            names = spec.get('Nodes', 'ALL')
            members = list(range(len(self.nodes))) if names == 'ALL' else [self.index[n] for n in host_list(names)]
            exclusive = spec.get('OverSubscribe', 'NO').upper() == 'EXCLUSIVE'
            self.partitions[spec['PartitionName']] = {
                'name': spec['PartitionName'], 'nodes': set(members), 'tier': int(spec.get('PriorityTier', 1)),
                'exclusive': exclusive, 'mode': spec.get('PreemptMode', ''),
                'default': spec.get('Default', 'NO').upper() == 'YES',
                'factor': int(spec.get('PriorityJobFactor', 1)),
                'max_time': minutes(spec.get('MaxTime', 'UNLIMITED')) or FOREVER,
                'max_nodes': int(spec.get('MaxNodes', FOREVER)), 'min_nodes': int(spec.get('MinNodes', 1)),
                'down': spec.get('State', 'UP') == 'DOWN'}
        self.chooser = Chooser(self.nodes, self.conf)
        self.state = State(self.nodes)
        self.licenses = {}
        for part in (conf.get('licenses') or '').split(','):
            if part:
                name, _, count = part.partition(':')
                self.licenses[name] = int(count or 1)
        self.qos, self.users = read_accounting(request['cluster'].get('accounting', []))
        self.cycles = request.get('cycles') or {}
        self.driven = any(self.cycles.get(kind) for kind in ('main', 'main_full', 'backfill'))
        self.running, self.completing, self.done, self.waiting = [], [], [], []
        self.past, self.readmitted, self.evictions, self.returned = [], [], 0, 0
        first = min(self.cycles['main']) if self.cycles.get('main') else min(
            [0] + [j.get('submit_s', j.get('planned_submit_s')) for j in request['jobs']])
        self.period = 60000 * (minutes(conf.get('prioritycalcperiod', '5')) or 5)
        half = conf.get('prioritydecayhalflife', '7-0')
        self.half_life = 60 * (minutes(half) or 0)
        self.begin = self.spent_until = round(first * 1000) - CONTROLLER_START_MS
        self.over_time = minutes(conf.get('overtimelimit', '0'))
        self.next_calculation = self.spent_until + self.period
        self.usage, self.fair = {}, {}
        self.shares = read_shares(request['cluster'].get('accounting', []))
        self.read_jobs(request)
        self.plans = []

    # Jobs

    def read_jobs(self, request):
        self.jobs, self.refused, self.by_name = [], {}, {}
        order = sorted(range(len(request['jobs'])), key=lambda k: (
            request['jobs'][k].get('submit_s', request['jobs'][k].get('planned_submit_s', 0)), k))
        count = 0
        for k in order:
            spec = request['jobs'][k]
            job = Job(spec, count, self.conf)
            name = spec.get('partition') or next(
                (p['name'] for p in self.partitions.values() if p['default']), None)
            job.partition = self.partitions[name]
            job.exclusive = job.exclusive or job.partition['exclusive']
            if job.gpus_total:
                most = max(len(n.gpus) for n in self.nodes) or 1
                job.min_nodes = max(job.min_nodes, -(-job.gpus_total // most))
            why = self.refusal(job)
            part = job.partition
            job.beyond = part['down'] or job.limit > part['max_time'] or job.min_nodes > part['max_nodes'] or (
                job.max_nodes < part['min_nodes'])
            if not job.beyond:
                job.min_nodes = max(job.min_nodes, part['min_nodes'])
                job.max_nodes = min(job.max_nodes, part['max_nodes'])
            if not why and not self.could_ever_run(job):
                why = 'Requested node configuration is not available'
            if why:
                self.refused[job.name] = why
                continue
            job.priority = self.first_priority(job, count)
            count += 1
            tasks = [job]
            if spec.get('array'):
                span, _, throttle = spec['array'].partition('%')
                tasks = []
                for task in [int(x) for x in host_list('[' + span + ']')]:
                    part = Job(spec, job.order, self.conf)
                    part.__dict__.update({k: v for k, v in job.__dict__.items() if k != 'starts'})
                    part.starts, part.task, part.array = [], task, job.name
                    if 'task_run_s' in spec and str(task) in spec['task_run_s']:
                        part.run = round(1000 * spec['task_run_s'][str(task)])
                        part.length_is_known = True
                    part.throttle = int(throttle) if throttle else None
                    tasks.append(part)
            self.by_name[job.name] = tasks
            self.jobs += tasks

    def refusal(self, job):
        """What sbatch says to a job before it looks at nodes."""
        if self.qos and job.qos and job.qos not in self.qos:
            return 'Invalid qos specification'
        if any(self.licenses.get(name, 0) < count for name, count in job.licenses.items()):
            return 'Invalid license specification'
        enforced = self.conf['raw'].get('enforcepartlimits', 'NO') != 'NO'
        if enforced and job.limit > job.partition['max_time']:
            return 'Requested time limit is invalid (missing or exceeds some limit)'
        if enforced and (job.min_nodes > job.partition['max_nodes'] or job.max_nodes < job.partition['min_nodes']):
            return 'Node count specification invalid'
        return None

    def could_ever_run(self, job):
        empty = State(self.nodes)
        if job.gpus_total and job.min_nodes > job.tasks:
            return False
        return self.chooser.choose(job, sorted(job.partition['nodes']), empty, job.min_nodes, job.max_nodes) is not None

    def first_priority(self, job, count):
        if 'priority' in job.spec:
            return job.spec['priority']
        return 4294901759 - count

    def submit(self, tasks):
        """The factors of fair share are those of the last calculation."""
        for task in tasks:
            if self.conf['priority'] == 'multifactor' and 'priority' not in task.spec:
                task.priority = self.multifactor(task, task.submit)
        self.waiting += tasks

    def calculate_priorities(self, at):
        """Age moves at the ends of PriorityCalcPeriod only, which count from the start of the controller."""
        while self.conf['priority'] == 'multifactor' and self.next_calculation <= at:
            self.spend(self.next_calculation)
            for job in self.waiting:
                if 'priority' not in job.spec:
                    job.priority = self.multifactor(job, self.next_calculation)
            self.next_calculation += self.period

    def spend(self, at):
        """Adds the CPU seconds of running jobs up to an instant to their users' usage, which halves with time."""
        half = self.half_life
        factor = 0.5 ** ((at - self.spent_until) / 1000 / half) if half else 1
        for key in self.usage:
            self.usage[key] *= factor
        self.spend_part(at)
        self.spent_until = at
        self.fair = fair_tree(self.shares, self.usage)

    def spend_part(self, at):
        runs = [((j.account, j.user), j.taken_cpus, j.at, j.ends)
                for j in self.running + self.completing + self.done if not j.evicted]
        for key, cpus, begin, end in runs + self.past:
            until, since = min(at, end), max(self.spent_until, begin)
            if until > since:
                self.usage[key] = self.usage.get(key, 0) + (until - since) / 1000 * cpus

    def multifactor(self, job, now):
        raw = self.conf['raw']
        weight = {k: int(raw.get('priorityweight' + k, 0)) for k in ('age', 'fairshare', 'jobsize', 'qos', 'partition')}
        most_age = 60 * (minutes(raw.get('prioritymaxage', '7-0')))
        age = min(1, max(0, (self.seconds(now) - self.seconds(job.eligible))) / most_age)
        all_cpus = sum(n.sockets * n.cores * n.threads for n in self.nodes)
        size = (job.min_nodes / len(self.nodes) + job.cpus / all_cpus) / 2
        size = 1 - size if raw.get('priorityfavorsmall', 'NO').upper() == 'YES' else size
        most_factor = max(p['factor'] for p in self.partitions.values())
        partition = job.partition['factor'] / most_factor if most_factor else 0
        highest = max((q['priority'] for q in self.qos.values()), default=0)
        qos = self.qos.get(job.qos, {'priority': 0})['priority'] / highest if highest else 0
        total = weight['age'] * age + weight['jobsize'] * size + weight['qos'] * qos
        total += weight['partition'] * partition
        total += weight['fairshare'] * self.fair.get((job.account, job.user), 0)
        return max(1, int(total + 1e-9))

    def seconds(self, at):
        """The second that the clock of the controller shows."""
        return (self.base + at) // 1000

    # A run

    def events(self):
        """[(time, rank, what, payload)] that are known beforehand."""
        events = []
        for _name, tasks in self.by_name.items():
            events.append((tasks[0].submit, 1, 'submit', tasks))
        for kind in ('main', 'main_full', 'backfill'):
            for at in self.cycles.get(kind, []):
                events.append((round(at * 1000), 2, kind, None))
        events.sort(key=lambda e: e[:2])
        return events

    def end_of(self, at, job):
        """When a job ends that starts now: after its own time, or at the first check after its limit."""
        if job.length_is_known:
            return at + job.run
        begin = self.begin
        limit = at + 60000 * (job.limit + self.over_time)
        check = begin + -(-(limit - begin) // CHECK_MS) * CHECK_MS
        return min(at + job.run, check)

    def run(self):
        events = self.events()
        if not self.driven:
            self.run_on_own_clock(events)
            return self.answer()
        for at, _, what, payload in events:
            self.end_jobs(at)
            self.release(at, LONGEST_EPILOG_MS)
            self.calculate_priorities(at)
            if what == 'submit':
                self.submit(payload)
            elif what == 'backfill':
                if self.conf['backfill']:
                    self.backfill(at)
            else:
                self.release(at)
                self.main_pass(at, what == 'main_full')
        return self.answer()

    def run_on_own_clock(self, events):
        """Passes at the instants at which the loops of the controller would run them, in small steps."""
        def get(key, default):
            return int(self.parameters.get(key, default))
        delay, interval = 1000 * get('batch_sched_delay', 3), 1000 * get('bf_interval', 30)
        full_interval = 1000 * get('sched_interval', 60)
        at = idle_since = self.begin
        last_main, next_full, next_backfill = at - delay, at + full_interval, at + interval
        for_main = for_backfill = False
        while at < idle_since + 3 * full_interval + 2 * interval:
            before = len(self.waiting), len(self.done), self.returned
            running = len(self.running)
            readmitted = [again for again in self.readmitted if again <= at]
            self.readmitted = [again for again in self.readmitted if again > at]
            while events and events[0][0] <= at:
                self.submit(events.pop(0)[3])
            self.end_jobs(at)
            self.release(at, USUAL_EPILOG_MS)
            changed = len(self.running) < running or (len(self.waiting), len(self.done), self.returned) != before
            if readmitted or changed:
                for_main = for_backfill = True
            self.calculate_priorities(at)
            is_tick = (at - self.begin) % TICK_MS == 0
            full = is_tick and at >= next_full
            is_back = len(self.done) + self.returned > before[1] + before[2] and 'defer' not in self.parameters
            if full or is_back or (is_tick and for_main and at >= last_main + delay):
                acts = self.acts()
                self.main_pass(at, full)
                last_main, for_main = at, False
                for_backfill = for_backfill or self.acts() > acts
                next_full = at + full_interval if full else next_full
            if at == next_backfill:
                if for_backfill:
                    acts = self.acts()
                    if self.conf['backfill']:
                        self.backfill(at)
                    for_main = for_main or self.acts() > acts
                next_backfill = at + (interval if for_backfill else TICK_MS)
                for_backfill = False
            if events or self.running or self.completing or self.readmitted:
                idle_since = at
            at += STEP_MS

    def acts(self):
        """Starts and evictions so far."""
        return self.evictions + sum(len(task.starts) for task in self.jobs)

    def answer(self):
        jobs = {}
        for name, tasks in self.by_name.items():
            jobs[name] = {'starts': [s for t in tasks for s in t.starts]}
        for name, why in self.refused.items():
            jobs[name] = {'starts': [], 'refused': 'Batch job submission failed: ' + why}
        return {'jobs': jobs}

    def end_jobs(self, at):
        for job in [j for j in self.running if j.ends <= at]:
            self.running.remove(job)
            self.state.take(job.where, -1)
            job.state = 'completing'
            self.completing.append(job)

    def release(self, at, epilog=0):
        for job in [j for j in self.completing if j.ends + (EVICTION_MS if j.evicted else epilog) <= at]:
            self.completing.remove(job)
            if job.returns:
                job.state, job.evicted, job.returns = 'waiting', False, False
                job.submit = job.eligible = job.ends
                job.not_before = self.seconds(job.ends + REQUEUE_MS)
                self.readmitted.append(1000 * job.not_before - self.base)
                self.waiting.append(job)
                self.returned += 1
            else:
                job.state = 'done'
                self.done.append(job)

    # Preemption

    def mode_of(self, job):
        own = self.qos.get(job.qos, {'mode': ''})['mode'] if self.conf['preempt'] == 'qos' else job.partition['mode']
        return (own or self.conf['preempt_mode']).upper()

    def candidates(self, job):
        """The running jobs that may go for this one, those that go first first."""
        if self.conf['preempt'] == 'partition_prio':
            found = [j for j in self.running if j.partition['tier'] < job.partition['tier']]
            def rank(j):
                return j.partition['tier']
        elif self.conf['preempt'] == 'qos':
            found = [j for j in self.running if j.qos in self.qos.get(job.qos, {'preempt': []})['preempt']]
            def rank(j):
                return self.qos.get(j.qos, {'priority': 0})['priority']
        else:
            return []
        found = [j for j in found if self.mode_of(j) in ('REQUEUE', 'CANCEL')]
        return sorted(found, key=lambda j: (rank(j), len(j.where), j.order, j.task))

    def choose_without(self, gone, job, usable):
        state = self.state.copy()
        for victim in gone:
            state.take(victim.where, -1)
        return self.chooser.choose(job, sorted(usable), state, job.min_nodes, job.max_nodes)

    def victims(self, candidates, job, usable):
        """One more goes at a time; then those with most of the nodes chosen first, and all anew."""
        for final in (False, True):
            for count in range(1, len(candidates) + 1):
                gone = candidates[:count]
                chosen = self.choose_without(gone, job, usable)
                if chosen:
                    break
            else:
                return []
            overlap = {j.name + str(j.task): len({i for i, _ in chosen} & {w[0] for w in j.where}) for j in candidates}
            if final or len(candidates) == 1:
                return [j for j in gone if overlap[j.name + str(j.task)]]
            candidates = sorted(candidates, key=lambda j: -(overlap[j.name + str(j.task)] if j in gone else 0))
        return None

    def evict(self, job, at):
        self.running.remove(job)
        self.state.take(job.where, -1)
        job.state, job.ends, job.evicted = 'completing', at, True
        job.returns = self.mode_of(job) == 'REQUEUE'
        self.past.append(((job.account, job.user), job.taken_cpus, job.at, at))
        self.completing.append(job)
        self.evictions += 1

    def completing_nodes(self):
        return {w[0] for job in self.completing for w in job.where}

    def start_job(self, job, chosen, at, by):
        job.where = self.chooser.allocate(job, chosen, self.state)
        self.state.take(job.where)
        job.start = self.seconds(at)
        job.expected = job.start + job.limit * 60
        job.at, job.ends = at, self.end_of(at, job)
        job.taken_cpus = sum(len(w[1]) * self.nodes[w[0]].threads for w in job.where)
        job.state = 'running'
        self.waiting.remove(job)
        self.running.append(job)
        start = {'at_s': at / 1000, 'by': by, 'nodes': short_list([self.nodes[i].name for i, *_ in job.where])}
        if job.gpus_each or job.gpus_total:
            start['gpus'] = {self.nodes[w[0]].name: sorted(w[3]) for w in job.where if w[3]}
        if job.array:
            start['task'] = job.task
        job.starts.append(start)

    def queue(self, at):
        ready = [j for j in self.waiting if not j.beyond and j.not_before <= self.seconds(at)
                 and self.dependency_holds(j)]
        return sorted(ready, key=lambda j: (-j.partition['tier'], -j.priority, self.seconds(j.submit), j.order, j.task))

    def dependency_holds(self, job):
        return not job.after or all(
            t.state in ('done', 'completing') and not t.returns for t in self.by_name.get(job.after, []))

    def array_open(self, job):
        if not job.throttle:
            return True
        return sum(j.array == job.array for j in self.running) < job.throttle

    def licenses_free(self):
        free = dict(self.licenses)
        for job in self.running:
            for name, count in job.licenses.items():
                free[name] = free.get(name, 0) - count
        return free

    def has_licenses(self, job):
        free = self.licenses_free()
        return all(free.get(name, 0) >= count for name, count in job.licenses.items())

    def held_by_limit(self, job):
        qos = self.qos.get(job.qos)
        if not qos:
            return False
        mine = usage_of(job)
        for whose, limits in (('grp', qos['grp']), ('user', qos['user'])):
            used = [usage_of(j) for j in self.running
                    if j.qos == job.qos and (whose == 'grp' or j.user == job.user)]
            for name, most in limits.items():
                if sum(u.get(name, 0) for u in used) + mine.get(name, 0) > most:
                    return True
        return bool(qos['jobs'] and sum(j.qos == job.qos and j.user == job.user for j in self.running) >= qos['jobs'])

    # The main loop

    def main_pass(self, at, full):
        depth = FOREVER if full else int(self.parameters.get('default_queue_depth', 100))
        closed, in_play = set(), set(range(len(self.nodes))) - self.completing_nodes()
        tried, failed_arrays = 0, set()
        for job in self.queue(at):
            part = job.partition['name']
            if job.array in failed_arrays or part in closed:
                continue
            if not self.array_open(job):
                continue
            if job.licenses and not self.has_licenses(job):
                if 'bf_licenses' in self.parameters:
                    break
                continue
            tried += 1
            if tried > depth + 1:
                break
            if self.held_by_limit(job):
                continue
            usable = sorted(job.partition['nodes'] & in_play)
            candidates = self.candidates(job)
            chosen = self.choose_without([], job, usable) if candidates else self.choose_main(job, usable)
            if chosen:
                self.start_job(job, chosen, at, 'main')
                continue
            for victim in self.victims(candidates, job, usable) if candidates else []:
                in_play -= {w[0] for w in victim.where}
                self.evict(victim, at)
            if job.array:
                failed_arrays.add(job.array)
            if job.priority < int(self.parameters.get('bf_min_prio_reserve', 0)):
                continue
            closed.add(part)
            in_play -= job.partition['nodes']

    def choose_main(self, job, usable):
        weights = sorted({self.nodes[i].weight for i in usable})
        for weight in weights:
            some = [i for i in usable if self.nodes[i].weight <= weight]
            if len(some) < job.min_nodes:
                continue
            chosen = self.chooser.choose(job, some, self.state, job.min_nodes, job.max_nodes)
            if chosen:
                return chosen
        return None

    # Backfill

    def backfill(self, at):
        now = self.seconds(at)
        def get(key, default):
            return int(self.parameters.get(key, default))
        resolution = get('bf_resolution', 60)
        window = get('bf_window', 1440) * 60
        most_tests = get('bf_max_job_test', 500)
        room = get('bf_node_space_size', most_tests)
        plan = Plan(now, (now + window) // resolution * resolution, len(self.nodes), room, self.licenses)
        self.reserve_running(plan, now, resolution)
        tests, by_user, by_partition, planned_tasks, started = 0, {}, {}, {}, 0
        for job in self.queue(at):
            if not self.array_open(job) or self.held_by_limit(job):
                continue
            if job.array and planned_tasks.get(job.array, 0) >= get('bf_max_job_array_resv', 20):
                continue
            user_max = get('bf_max_job_user', 0)
            if user_max and by_user.get(job.user, 0) >= user_max:
                continue
            part, part_max = job.partition['name'], get('bf_max_job_part', 0)
            if part_max and by_partition.get(part, 0) >= part_max:
                continue
            by_user[job.user] = by_user.get(job.user, 0) + 1
            by_partition[part] = by_partition.get(part, 0) + 1
            tests, outcome = self.plan_job(job, at, now, plan, resolution, window, tests, most_tests)
            if outcome == 'full':
                break
            started += outcome == 'started'
            if get('bf_max_job_start', 0) and started >= get('bf_max_job_start', 0):
                break
            if outcome == 'planned' and job.array:
                planned_tasks[job.array] = planned_tasks.get(job.array, 0) + 1

    def reserve_running(self, plan, now, resolution):
        """With bf_licenses, running jobs hold their licences in the plan, and whole nodes if they are exclusive."""
        if 'bf_licenses' not in self.parameters and 'bf_running_job_reserve' not in self.parameters:
            return
        for job in self.running:
            nodes = {w[0] for w in job.where} if job.exclusive else set()
            licenses = job.licenses if 'bf_licenses' in self.parameters else {}
            if nodes or licenses:
                plan.add(now, job.expected // resolution * resolution, nodes, licenses)

    def plan_job(self, job, at, now, plan, resolution, window, tests, most_tests):
        later, counted = now, False
        while True:
            start, later, _counted_before = later, 0, counted
            usable, later = plan.usable(start, start + job.limit * 60, job.partition['nodes'],
                                         job.licenses if 'bf_licenses' in self.parameters else {})
            if len(usable) < job.min_nodes:
                if later:
                    continue
                return tests, 'never'
            if not counted:
                counted = True
                tests += 1
                if tests > most_tests:
                    return tests, 'full'
            found = self.will_run(job, sorted(usable), now)
            if not found:
                if later:
                    continue
                return tests, 'never'
            chosen, when = found
            when = max(when, start)
            nodes = {i for i, _ in chosen}
            if when <= now and nodes & self.completing_nodes():
                when, later = now + 1, 0
            if when <= now:
                if job.licenses and not self.has_licenses(job):
                    return tests, 'never'
                if self.needs_victims:
                    for victim in self.victims(self.candidates(job), job, usable):
                        self.evict(victim, at)
                    return tests, 'never'
                self.start_job(job, chosen, at, 'backfill')
                licenses = job.licenses if 'bf_licenses' in self.parameters else {}
                if job.exclusive or licenses:
                    plan.add(now, (now + job.limit * 60) // resolution * resolution,
                             nodes if job.exclusive else set(), licenses)
                return tests, 'started'
            if later and when > later:
                continue
            if job.priority < int(self.parameters.get('bf_min_prio_reserve', 0)):
                return tests, 'never'
            begin = when // resolution * resolution
            up = resolution - 1 if self.version >= '26.05' else 0
            end = max((when + job.limit * 60 + up) // resolution * resolution, begin + resolution)
            if when > now + window:
                return tests, 'never'
            if plan.overlaps(nodes, begin, end):
                later = when
                continue
            self.plans.append((at, job.name, when, end, short_list([self.nodes[i].name for i in sorted(nodes)])))
            if plan.full():
                return tests, 'full'
            plan.add(begin, end, nodes, job.licenses if 'bf_licenses' in self.parameters else {})
            return tests, 'planned'

    def will_run(self, job, usable, now):
        """(chosen, when) of a job on these nodes, or None."""
        chosen = self.chooser.choose(job, usable, self.state, job.min_nodes, job.max_nodes)
        self.needs_victims = False
        if chosen:
            return chosen, now
        candidates = self.candidates(job)
        chosen = self.choose_without(candidates, job, usable) if candidates else None
        if chosen:
            self.needs_victims = True
            return chosen, now
        state = self.state.copy()
        ends = sorted(self.running, key=lambda j: (j.expected, -j.order, -j.task))
        mine = set(usable)
        scale = int(self.parameters.get('bf_window_scale', 0))
        window, base, k = 30, None, 0
        while k < len(ends):
            last = None
            while k < len(ends):
                job_k = ends[k]
                k += 1
                if not mine & {w[0] for w in job_k.where}:
                    continue
                if base is None:
                    base = -(-job_k.expected // 30) * 30
                last = job_k
                state.take(job_k.where, -1)
                if k < len(ends) and ends[k].expected > base + window:
                    break
            if last is None:
                return None
            while True:
                window = window + scale if scale else window * 2
                if k >= len(ends) or ends[k].expected <= base + window:
                    break
            chosen = self.chooser.choose(job, usable, state, job.min_nodes, job.max_nodes)
            if chosen:
                return chosen, (last.expected if last.expected > now else now + 1)
        return None


class Plan:
    """Slots of time, each with the nodes and the licences that no reservation holds in it."""

    def __init__(self, now, end, count, room, licenses):
        self.slots = [[now, end, set(range(count)), dict(licenses)]]
        self.records, self.room = 1, room

    def full(self):
        return self.records >= self.room

    def usable(self, start, end, nodes, licenses):
        nodes, later = set(nodes), 0
        for k, (begin, stop, free, tools) in enumerate(self.slots):
            if stop > start and k + 1 < len(self.slots) and not later:
                after = self.slots[k + 1]
                if after[2] - free or any(after[3].get(name, 0) > tools.get(name, 0) for name in licenses):
                    later = stop
            if stop <= start:
                continue
            if begin > end:
                break
            nodes &= free
            if any(tools.get(name, 0) < count for name, count in licenses.items()):
                nodes = set()
        return nodes, later

    def overlaps(self, nodes, begin, end):
        return any(slot[1] > begin and slot[0] < end and nodes - slot[2] for slot in self.slots)

    def add(self, begin, end, nodes, licenses):
        begin = max(begin, self.slots[0][0])
        for at in (begin, end):
            for k, (start, stop, free, tools) in enumerate(self.slots):
                if start < at < stop:
                    self.slots[k:k + 1] = [[start, at, free, tools], [at, stop, set(free), dict(tools)]]
                    self.records += 1
                    break
        for slot in self.slots:
            if slot[0] >= begin and slot[1] <= end:
                slot[2] = slot[2] - nodes
                slot[3] = {name: count - licenses.get(name, 0) for name, count in slot[3].items()}
        for k in range(len(self.slots) - 1):
            if self.slots[k][2:] == self.slots[k + 1][2:]:
                self.slots[k:k + 2] = [[self.slots[k][0], self.slots[k + 1][1], *self.slots[k][2:]]]
                break


def usage_of(job):
    gpus = sum(count for _, count in job.gpus_each) * job.min_nodes + job.gpus_total
    return {'cpu': job.cpus, 'node': job.min_nodes, 'gres/gpu': gpus}


def read_shares(lines):
    """{account: (shares, {user: shares})} of lines ACCOUNT|USER|SHARES|..."""
    shares = {}
    for line in lines:
        fields = line.split('|')
        if len(fields) == 5:
            account, user, share = fields[0], fields[1], int(fields[2] or 1)
            if user:
                shares.setdefault(account, [1, {}])[1][user] = share
            else:
                shares.setdefault(account, [1, {}])[0] = share
    return shares


def fair_tree(shares, usage):
    """The fair-share factor of each (account, user): ranks of a walk in descending order of level."""
    users_of_root = shares.get('root', [1, {}])[1]
    siblings = [(('user', name), part) for name, part in users_of_root.items()]
    siblings += [(('account', name), part[0]) for name, part in shares.items() if name != 'root']

    def used(node, account='root'):
        kind, name = node
        if kind == 'user':
            return usage.get((account, name), 0)
        return sum(usage.get((name, user), 0) for user in shares[name][1])

    def levels(nodes, account):
        total_shares = sum(part for _, part in nodes) or 1
        total_usage = sum(used(node, account) for node, _ in nodes)
        out = []
        for node, part in nodes:
            mine = used(node, account)
            level = float('inf') if not mine else (part / total_shares) / (mine / total_usage)
            out.append((node, level))
        return sorted(out, key=lambda x: (-x[1], x[0][0] != 'user'))

    ranks, order = {}, []
    ranked = levels(siblings, 'root')
    k = 0
    while k < len(ranked):
        same = [node for node, level in ranked[k:] if level == ranked[k][1]]
        tied_users = [(('root', node[1]), None) for node in same if node[0] == 'user']
        if tied_users:
            order.append([key for key, _ in tied_users])
        accounts = [node[1] for node in same if node[0] == 'account']
        if accounts:
            [(('user', user), part, account) for account in accounts
                      for user, part in shares[account][1].items()]
            leveled = []
            for account in accounts:
                leveled += [(level, account, node[1]) for node, level in
                            levels([(('user', u), p) for u, p in shares[account][1].items()], account)]
            leveled.sort(key=lambda x: -x[0])
            i = 0
            while i < len(leveled):
                group = [x for x in leveled if x[0] == leveled[i][0]]
                order.append([(account, user) for _, account, user in group])
                i += len(group)
        k += len(same)
    count = sum(len(group) for group in order)
    left = count
    for group in order:
        for key in group:
            ranks[key] = left / count
        left -= len(group)
    return ranks


def read_accounting(lines):
    qos, users = {}, {}
    for line in lines:
        fields = line.split('|')
        if len(fields) == 7:
            name, priority, preempt, mode, grp, user, jobs = fields
            def limits(text):
                return {k: int(v) for k, _, v in (x.partition('=') for x in text.split(',') if x)}
            qos[name] = {'priority': int(priority or 0), 'preempt': [p for p in preempt.split(',') if p],
                         'mode': '' if mode == 'cluster' else mode,
                         'grp': limits(grp), 'user': limits(user), 'jobs': int(jobs) if jobs else None}
    return qos, users


if __name__ == '__main__':
    for line in sys.stdin:
        print(json.dumps(Twin(json.loads(line)).run()))
