"""What the families share: the base class, transactional fits, intervals, losses, progress."""
