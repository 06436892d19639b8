"""The cycles of gangs, plainly: each pod is decided for by the model of kube-scheduler, which looks at the whole
cluster anew."""


class CycleError(Exception):
    """A cycle cannot be carried out."""


class GangCycles:
    """The part of compare_runs.Plain that tries the pods of a group together."""

    def gang_cycle(self, first):
        """All pods of a group are tried together, in one snapshot."""
        jobs, least, priority = self.group_of(first.job)
        early = self.now if first.state == "backoff" else first.early
        members = sorted((pod for pod in self.pods if pod.job in jobs),
                         key=lambda pod: (-pod.job["priority"], pod.number))
        if any(pod.early == self.now for pod in members if pod is not first):  # it was tried twice at this instant
            until = max(pod.until for pod in members)
            for pod in members:
                pod.state, pod.until = "rests", until
            return
        if any(pod.since == self.now and pod.failures + pod.errors > 0 for pod in members):
            early = self.now
        for pod in members:
            pod.early = early
        if not self.nodes:
            for pod in members:
                self.nominate(pod, None)
                self.put_back(pod, "rests", set())
            return
        placed = sum(len(job["places"]) for job in jobs)
        outcome, results, victims = self.decide_for_gang(jobs, members, placed, least, priority)
        goes_on = bool(victims) and outcome == "waits" and self.as_a_whole and early != self.now
        seen = self.changes
        for pod, result in zip(members, results):
            node = result["node"]
            if outcome == "starts" and node:
                self.place(pod, node)
                continue
            if "victims" in result:
                self.clear_nominations(node, pod.job["priority"])
            if node or not result["keeps"]:
                self.nominate(pod, node if outcome == "waits" else None)
            plugins = result["plugins"] if not node or outcome == "waits" else set()
            self.put_back(pod, "active" if goes_on else "parked", plugins)
            pod.seen = seen
        self.evict(victims)

    def decide_for_gang(self, jobs, members, placed, least, priority):
        """What happens to the group, to each of its pods, and which pods leave."""
        key = self.topology_key(members[0].job)
        if key is not None:
            return *self.try_domains(key, jobs, members, placed, least), []
        per_pod = not self.as_a_whole and not self.stops_early
        outcome, results = self.try_gang(members, placed, least, per_pod, set())
        victims = [number for result in results for number in result.get("victims", [])]
        if outcome == "fails" and self.as_a_whole:
            victims, nodes = self.victims_of_gang(members, placed, least, priority)
            outcome = "waits" if victims else "fails"
            for result, node in zip(results, nodes if victims else []):
                result["node"] = node
        return outcome, results, victims

    def spec_of(self, job):
        """The spec of the PodGroup that a job's pods name; an empty one without it."""
        name = job["says"].get("schedulingGroup", {}).get("podGroupName")
        return next((one["spec"] for one in self.gangs["podGroups"] if one["metadata"]["name"] == name), {})

    def topology_key(self, job):
        topology = self.spec_of(job).get("schedulingConstraints", {}).get("topology", [])
        return topology[0]["key"] if topology else None

    def others_of(self, members, tried, assumed, without):
        """The cluster as the next pod of the group sees it, of whose pods these were tried."""
        others = self.cluster()
        others["pods"] = [one for one in others["pods"] if int(one["metadata"]["uid"]) not in without] + assumed
        names = {str(other.number) for other in members}
        others["nominated"] = [
            one if one["metadata"]["uid"] not in names else
            {"metadata": {key: one["metadata"][key] for key in ("name", "uid", "namespace")}, "spec": {},
             "status": one["status"]}
            for one in others["nominated"] if one["metadata"]["uid"] not in tried]
        return others

    def asks(self, pod):
        asked = self.object_of(pod)
        if pod.nominated:
            asked["status"]["nominatedNodeName"] = pod.nominated
        return asked

    def on(self, pod, node):
        one = self.object_of(pod)
        one["spec"]["nodeName"] = node
        return one

    @staticmethod
    def find_among(scheduler, asked, among):
        """The search on these nodes alone. What other plugins than filters see is not limited."""
        if among is None:
            return scheduler.find(asked)
        nodes, by, before = scheduler.nodes, scheduler.by, scheduler.prefilter

        def prefilter(pod):
            scheduler.nodes, scheduler.by = nodes, by
            found = before(pod)
            scheduler.nodes = [node for node in nodes if node.name in among]
            scheduler.by = {node.name: node for node in scheduler.nodes}
            return found
        scheduler.prefilter = prefilter
        found = scheduler.find(asked)
        scheduler.nodes, scheduler.by, scheduler.prefilter = nodes, by, before
        return found

    def try_gang(self, members, placed, least, preempts, without, among=None):
        """What happens to the group, and to each of its pods, if the pods with these numbers are not there."""
        outcome, results, assumed, tried = "fails", [], [], set()
        for i, pod in enumerate(members):
            asked = self.asks(pod)
            others = self.others_of(members, tried, assumed, without)
            scheduler = self.model.Scheduler(dict(others, pod=asked, nextStartNodeIndex=self.next))
            feasible, diagnosis = self.find_among(scheduler, asked, among)
            result = {"node": None, "plugins": set(), "keeps": False}
            if feasible:
                result["node"] = feasible[0].name
                if len(feasible) > 1:
                    _, totals = scheduler.score(asked, feasible)
                    result["node"] = self.model.heap_pop([one.name for one in feasible], totals)
            else:
                result.update(plugins=set(diagnosis["plugins"]), keeps=not preempts)
                found = scheduler.preempt(asked, diagnosis)["out"] if preempts else {}
                if found.get("nodes"):
                    result["node"] = min(found["nodes"], key=[node.name for node in scheduler.nodes].index)
                    result["victims"] = [int(name.rsplit("-", 1)[1]) for name in found["victims"][result["node"]]]
            self.next = scheduler.next
            results.append(result)
            if result["node"]:
                tried.add(str(pod.number))
                assumed.append(self.on(pod, result["node"]))
                if placed + len(assumed) >= least:
                    outcome = "waits" if any("victims" in one for one in results) else "starts"
            if self.stops_early and placed + len(assumed) + len(members) - i - 1 < least:
                results += [{"node": None, "plugins": set(), "keeps": False} for _ in members[i + 1:]]
                break
        return outcome, results

    def try_domains(self, key, jobs, members, placed, least):
        """The best of the domains in which the group starts, the first of equal ones; or what the first one said."""
        bare = self.model.Scheduler(dict(self.cluster(), pod=self.object_of(members[0])))
        domains, value_of = {}, {}
        for node in bare.nodes:
            value = node.node["metadata"]["labels"].get(key)
            value_of[node.name] = value
            if value is not None:
                domains.setdefault(value, set()).add(node.name)
        theirs = {value_of[node] for job in jobs for _, node, _ in job["places"]}
        assert len(theirs) < 2, "a group is in one domain"
        domains = [names for value, names in domains.items() if not theirs or value in theirs]
        if not domains:
            return "fails", [{"node": None, "plugins": set(), "keeps": False} for _ in members]
        tried = [self.try_gang(members, placed, least, False, set(), names) for names in domains]
        good = [(names, results) for names, (outcome, results) in zip(domains, tried) if outcome == "starts"]
        if not good:
            return tried[0]
        counts = [placed + sum(result["node"] is not None for result in results) for _, results in good]
        weight = self.config["weights"].get("NodeResourcesFit", 1)
        scores = [weight * self.use_of(bare, members, names, results) + count * 100 // max(counts)
                  for (names, results), count in zip(good, counts)]
        return "starts", good[scores.index(max(scores))][1]

    def use_of(self, bare, members, names, results):
        """How much of a domain's resources is in use if the group starts there: the weighted mean percentage. Other
        resources than CPU and memory count if the pods that have nodes ask for them."""
        strategy = self.config["pluginConfig"].get("NodeResourcesFit", {}).get("scoringStrategy", {})
        nodes = [node for node in bare.nodes if node.name in names]
        total = weights = 0
        for resource in strategy.get("resources", [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}]):
            name = resource["name"]
            asked = sum(bare.pod_score_request(self.object_of(pod), name, False)
                        for pod, result in zip(members, results) if result["node"])
            if name not in ("cpu", "memory") and asked == 0:
                continue
            used = asked + sum(node.n0[name == "memory"] if name in ("cpu", "memory") else node.req.get(name, 0)
                               for node in nodes)
            capacity = sum(node.alloc.get(name, 0) for node in nodes)
            total += resource["weight"] * (min(used, capacity) * 100 // capacity)
            weights += resource["weight"]
        return total // weights if weights else 0

    def units_of(self, members, priority):
        """Which pods may leave, as [(rank, numbers)]: one by one, or all of a group together."""
        order = [node.name for node in self.model.Scheduler(dict(self.cluster(), pod=self.object_of(members[0]))).nodes]
        own, units = members[0].job["says"].get("schedulingGroup"), {}
        for node in order:
            for number, job, since in self.on_node[node]:
                name, spec = job["says"].get("schedulingGroup"), self.spec_of(job)
                is_whole = spec.get("disruptionMode") == "PodGroup"
                rank = spec["priority"] if is_whole else job["priority"]
                if rank < priority and (own is None or name != own):
                    unit = units.setdefault(name["podGroupName"] if is_whole else number, (rank, is_whole, []))
                    unit[2].append((since, number))
        found = []
        for rank, is_whole, pods in units.values():
            size = len(pods) if is_whole else 0
            found.append(((-rank, not is_whole, -size, min(since for since, _ in pods)), [one for _, one in pods]))
        return [numbers for _, numbers in sorted(found, key=lambda unit: unit[0])]

    def split_by_budget(self, units):
        """The units that are more than budgets allow, and the others."""
        budgets = [[self.model.label_selector(one["spec"]["selector"]), one["metadata"]["namespace"],
                    one["status"]["disruptionsAllowed"]] for one in self.budgets()]
        job_of = {number: job for pods in self.on_node.values() for number, job, _ in pods}

        def exceeds(numbers):
            for number in numbers:
                labels = job_of[number]["says"].get("labels", {})
                for budget in budgets:
                    if labels and budget[1] == self.namespace(job_of[number]) and self.model.sel_match(
                            budget[0], labels):
                        budget[2] -= 1
                        if budget[2] < 0:
                            return True
            return False
        beyond = [numbers for numbers in units if exceeds(numbers)]
        return beyond, [numbers for numbers in units if numbers not in beyond]

    def victims_of_gang(self, members, placed, least, priority):
        """The pods that leave for the whole group, and in 1.37 the nodes of its pods without them."""
        units = self.units_of(members, priority)
        gone = {number for numbers in units for number in numbers}
        if not units:
            return [], []
        outcome, results = self.try_gang(members, placed, least, False, gone)
        if outcome != "starts":
            return [], []
        nodes = [result["node"] for result in results] if self.stops_early else []
        beyond, within = self.split_by_budget(units)
        for numbers in beyond + within:
            without = gone - set(numbers)
            if (self.fits_on(members, nodes, without) if self.stops_early else
                    self.try_gang(members, placed, least, False, without)[0] == "starts"):
                gone = without
        return [number for numbers in units for number in numbers if number in gone], nodes

    def fits_on(self, members, nodes, without):
        """Whether the pods fit on these nodes, one after the other."""
        assumed, tried = [], set()
        for pod, node in zip(members, nodes):
            if node is None:
                continue
            asked = self.asks(pod)
            scheduler = self.model.Scheduler(dict(self.others_of(members, tried, assumed, without), pod=asked))
            state, skip, names, status, _ = scheduler.prefilter(asked)
            if status is not None or (names is not None and node not in names):
                return False
            try:
                if scheduler.filter_nominated(asked, scheduler.by[node], state, skip) is not None:
                    return False
            except CycleError:
                return False
            tried.add(str(pod.number))
            assumed.append(self.on(pod, node))
        return True
