"""The cluster's state, sampled every so often, as OTLP metrics: engines, nodes, racks, gateways, dependencies."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial

from simpy.events import Event, Timeout

from loadtest.emission import hardware, wire
from loadtest.emission.metric_rows import MetricRows, MetricSource
from loadtest.emission.metric_series import (
    GATEWAY_SERIES,
    NODE_SERIES,
    RACK_SERIES,
    dependency_series,
    engine_series,
    read_dependency,
    read_engine,
    read_gateway,
)
from loadtest.emission.metric_wire import MetricLayout
from loadtest.emission.outbox import Body
from loadtest.emission.sources import (
    GATEWAY_SCOPE,
    Attributes,
    engine_resource,
    exporter_resource,
    gateway_resource,
    node_resource,
    rack_name,
)
from loadtest.fleet.gateway import Gateway
from loadtest.fleet.pool import Pool
from loadtest.fleet.rack import Rack
from loadtest.fleet.replica import Replica, ReplicaState
from loadtest.fleet.simulation import Simulation

_NODE_SERVICE, _RACK_SERVICE = "gpu-exporter", "fabric-exporter"


class MetricsSampler:
    """Looks at a simulation at every multiple of `every_s` from now on; looking changes nothing in it.

    A process that is starting or down tells nothing; its node does.
    """

    def __init__(self, simulation: Simulation, every_s: float) -> None:
        self.simulation = simulation
        self.every_s = every_s
        plan = self.plan = simulation.plan
        self._began_s = simulation.now_s
        self._rows = MetricRows(plan.origin_ns)
        self._done: defaultdict[Replica, hardware.Done] = defaultdict(hardware.Done)
        self._exchanged: defaultdict[int, int] = defaultdict(int)
        self._engines = [MetricLayout(engine_series(model.name)) for model in plan.models]
        self._dependencies = [MetricLayout(dependency_series(one.kind, one.system)) for one in plan.dependencies]
        self._node, self._rack, self._gateway = (
            MetricLayout(series) for series in (NODE_SERIES, RACK_SERIES, GATEWAY_SERIES)
        )
        self._step = int(simulation.now_s // every_s)
        self._await_next()

    def take(self, until_s: float) -> list[Body]:
        """What was seen until then, one body a process or device; `outbox.joined` makes one of them."""
        return self._rows.take(until_s)

    def _await_next(self) -> None:
        self._step += 1
        env = self.simulation.env
        Timeout(env, max(self._step * self.every_s - env.now, 0.0)).callbacks.append(self._look)

    def _look(self, _: Event) -> None:
        at_s = self._step * self.every_s
        for pool in self.simulation.pools:
            for replica in pool.replicas:
                self._look_at_replica(replica, at_s, is_evicted=_is_evicted(pool, replica))
        for rack in self.simulation.racks:
            row = self._exchanged[rack.index], rack.link_latency_ms / 1e3
            self._rows.add(("rack", rack.index), at_s, row, partial(self._rack_source, rack))
        for gateway in self.simulation.gateways:
            key = "gateway", gateway.index, gateway.incarnation
            self._rows.add(key, at_s, read_gateway(gateway), partial(self._gateway_source, gateway))
        for index, dependency in enumerate(self.simulation.dependencies):
            calls = read_dependency(dependency)
            if calls is not None:
                self._rows.add(("dependency", index), at_s, calls, partial(self._dependency_source, index))
        self._await_next()

    def _look_at_replica(self, replica: Replica, at_s: float, *, is_evicted: bool) -> None:
        identity = replica.identity
        done = hardware.done_by(replica)
        busy_s, tokens = done.since(self._done[replica])
        self._done[replica] = done
        for rack in replica.racks:
            self._exchanged[rack.index] += hardware.exchanged_bytes(replica, tokens)
        moment = self._step * 4_096 + identity.place * len(self.plan.models) + identity.model
        node = (
            hardware.inference_share(replica, busy_s / self.every_s),
            hardware.training_share(replica, is_evicted=is_evicted, moment=moment),
            hardware.memory_used(replica, is_up=replica.state is not ReplicaState.DOWN),
            hardware.memory_limit(replica),
        )
        key = identity.model, identity.place, identity.rack
        self._rows.add(("node", *key), at_s, node, partial(self._node_source, replica))
        if replica.state is ReplicaState.READY or replica.state is ReplicaState.DRAINING:
            self._rows.add(identity, at_s, read_engine(replica), partial(self._engine_source, replica))

    def _engine_source(self, replica: Replica) -> MetricSource:
        identity = replica.identity
        resource = engine_resource(self.plan, identity)
        scope = "vllm", identity.engine_version
        return _source(resource, scope, self._engines[identity.model], replica.started_s)

    def _node_source(self, replica: Replica) -> MetricSource:
        resource = node_resource(self.plan, replica.identity)
        exporter = exporter_resource(self.plan, _NODE_SERVICE, resource["host.name"])
        return _source(exporter | resource, (_NODE_SERVICE, ""), self._node, self._began_s)

    def _rack_source(self, rack: Rack) -> MetricSource:
        resource = exporter_resource(self.plan, _RACK_SERVICE, rack.index) | {"rack.id": rack_name(rack.index)}
        return _source(resource, (_RACK_SERVICE, ""), self._rack, self._began_s)

    def _gateway_source(self, gateway: Gateway) -> MetricSource:
        resource = gateway_resource(self.plan, gateway.index, gateway.incarnation)
        return _source(resource, GATEWAY_SCOPE, self._gateway, gateway.started_s)

    def _dependency_source(self, index: int) -> MetricSource:
        dependency = self.plan.dependencies[index]
        resource = exporter_resource(self.plan, dependency.name, index)
        return _source(
            resource,
            (f"opentelemetry.instrumentation.{dependency.system}", ""),
            self._dependencies[index],
            self._began_s,
        )


def _source(resource: Attributes, scope: Sequence[str], layout: MetricLayout, start_s: float) -> MetricSource:
    return MetricSource(wire.resource(resource), wire.scope(*scope), layout, start_s)


def _is_evicted(pool: Pool, replica: Replica) -> bool:
    """Its place is planned and nobody lets it run: another job has its cards."""
    is_planned = replica.place < pool.size
    return is_planned and replica.state is ReplicaState.DOWN and not pool.lifecycles[replica.place].should_run
