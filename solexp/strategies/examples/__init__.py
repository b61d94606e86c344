"""Which solved tasks a prompt shows."""
