"""An ablation of which the truth is known: `make ablation-demo`."""
