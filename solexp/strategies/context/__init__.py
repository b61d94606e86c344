"""What a prompt shows of the code around the target."""
