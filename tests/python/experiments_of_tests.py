"""Small experiments, as dicts."""


def cluster(servers=4, cpu=8):
    return {
        "spec": {
            "levels": [{"name": "rack", "count": 2}, {"name": "server", "count": servers // 2}],
            "machines": [{"type": "host"}],
            "machineTypes": {"host": {"capacity": {"cpu": cpu}}},
        }
    }


def queue(name="queue", replications=2, servers=4, mean="3s", until="600s", **spec):
    """Pods with two CPUs that arrive at random, run for 40 s on average, and wait if there is no room."""
    return {
        "apiVersion": "berth/v1",
        "kind": "Experiment",
        "metadata": {"name": name},
        "spec": {
            "replications": replications,
            "topology": cluster(servers),
            "types": {"one": {"cpu": 2}},
            "workload": [
                {
                    "generate": {
                        "arrivals": {"distribution": "exponential", "mean": mean},
                        "service": {"distribution": "exponential", "mean": "40s"},
                        "until": until,
                        "type": "one",
                    }
                }
            ],
            **spec,
        },
    }
