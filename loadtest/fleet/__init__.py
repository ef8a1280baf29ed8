"""A discrete-event simulation of an inference cluster: gateway, router, replicas; its spans leave as OTLP.

No line here computes a defect from an arrival rate: queues, time-outs, the KV budget and faults make defects.
"""
