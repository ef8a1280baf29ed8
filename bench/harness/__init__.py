"""What benchmarks and path tests share: bodies to send and a server in its own process."""
