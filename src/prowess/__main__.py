"""Run the command `prowess` as `python -m prowess`."""

from .cli import main

if __name__ == "__main__":
    main()
