"""Profiles, which adapt the engine to particular controllers (``--compat``)."""
