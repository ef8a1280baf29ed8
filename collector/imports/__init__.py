"""File imports: foreign files become OTLP bodies, which go the way that every span goes."""
