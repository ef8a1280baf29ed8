"""Charts as plain dicts, ready to be sent; no Plotly objects are built on the server."""
