#!/usr/bin/env python3
"""Conformant peers that look wrong.

    python3 odd.py NAME [--era legacy|modern|both]
    python3 odd.py --list        name<TAB>what is odd<TAB>era

None breaks a MUST or a SHOULD of a revision it speaks, so a harness has neither a fail nor a
warn for any of them.
"""

import odd_feature  # noqa: F401 (registers peers)
import odd_session  # noqa: F401 (registers peers)
import odd_wire  # noqa: F401 (registers peers)
from table import main

if __name__ == "__main__":
    main()
