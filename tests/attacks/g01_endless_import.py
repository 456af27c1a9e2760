# row: G01
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: an import hook that never finds an end must meet the fuel limit inside the import machinery
import sys


class Finder:
    def find_spec(self, name, path=None, target=None):
        while True:
            pass


sys.meta_path.insert(0, Finder())
import a_module_that_is_not_there
