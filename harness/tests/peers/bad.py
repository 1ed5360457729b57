#!/usr/bin/env python3
"""Broken peers, each with one defect.

    python3 bad.py NAME [--era legacy|modern|both]
    python3 bad.py --list        name<TAB>what is owed<TAB>defect<TAB>era

What is owed is `requirement=verdict`, several divided by commas; `a|b=fail` is a fail of
either requirement, where the defect breaks both and one finding is enough. The requirement
`exit` stands for the exit code of a run in which nothing could be judged.
"""

import bad_feature  # noqa: F401 (registers peers)
import bad_message  # noqa: F401 (registers peers)
import bad_modern  # noqa: F401 (registers peers)
import bad_process  # noqa: F401 (registers peers)
import bad_reading  # noqa: F401 (registers peers)
import bad_session  # noqa: F401 (registers peers)
import bad_wire  # noqa: F401 (registers peers)
from table import main

if __name__ == "__main__":
    main()
