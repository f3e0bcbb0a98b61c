"""One tree on every machine: golden trees, and this machine standing for several."""
