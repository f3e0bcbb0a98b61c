"""`python -m softwood` is the command `softwood`."""

from softwood.cli import app

if __name__ == "__main__":
    app(prog_name="softwood")
