"""`python -m prowess` is the command `prowess`."""

from .cli import main

if __name__ == "__main__":
    main()
