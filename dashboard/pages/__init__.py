"""Pages: each is a body (a question asked, then drawn) and an optional control bar."""
