"""The same trees on every machine: golden trees, and this machine emulating others."""
