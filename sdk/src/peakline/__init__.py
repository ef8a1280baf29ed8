"""Peakline: tell an observability server what a model server does, without ever getting in its way.

import peakline

peakline.configure("chat", model="llama-3-70b", model_revision="4f2a91c", replica="chat-7d9f-0", rack="r12")

with peakline.inference_span("chat", "llama-3-70b", temperature=0.2, max_tokens=512) as inference:
    for token in engine.generate(prompt):
        inference.first_token()
        ...
    inference.answered(input_tokens=812, output_tokens=97, finish_reason="stop")
"""

from peakline.configuration import Identity, configure
from peakline.delivery import Delivery, delivery, dropped_spans
from peakline.inference import Inference, inference_span
from peakline.names import Role

__all__ = ["Delivery", "Identity", "Inference", "Role", "configure", "delivery", "dropped_spans", "inference_span"]
