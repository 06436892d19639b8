namespace berth::topologies {}
