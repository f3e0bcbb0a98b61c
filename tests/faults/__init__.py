"""What goes wrong around a program: memory ends, processes fork, signals come, files are cut."""
