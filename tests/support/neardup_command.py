"""How is neardup called so that nothing is set but what is named here?"""

import os


def environment():
    """The caller's, without what it sets for a neardup of its own: the program refuses variables that it does not know."""
    return {name: value for name, value in os.environ.items() if not name.startswith("NEARDUP_")}


def set_options(settings):
    """The words that set "kafka.group=x", ... on the command line."""
    return [word for setting in settings for word in ("--set", setting)]
