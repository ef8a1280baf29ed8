"""One function per question that needs stored facts and arithmetic together."""
