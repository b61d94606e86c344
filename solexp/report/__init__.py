"""What a person reads: tables."""
