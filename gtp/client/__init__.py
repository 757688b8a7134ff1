"""The controller's side of GTP: start an engine, talk to it, stop it."""
