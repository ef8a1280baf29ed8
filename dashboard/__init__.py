"""The screens: a Dash application on the server's FastAPI process."""
