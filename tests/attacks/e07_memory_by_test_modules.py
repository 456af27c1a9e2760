# row: E07
# outcome: ok
# flags: --fuel 2000000000
# about: the interpreter's own test modules lead to a crash of the run at worst
try:
    import _testinternalcapi as internals
except ImportError:
    internals = None
if internals:
    for act in (
        lambda: internals.type_assign_specific_version_unsafe(int, 1),
        lambda: internals.type_assign_specific_version_unsafe(str, 2**32 - 1),
        lambda: internals.set_eval_frame_record([]),
        lambda: internals.dict_getitem_knownhash({}, 1, 2**63 - 1),
        lambda: internals.get_configs(),
        lambda: internals.get_stack_pointer(),
        lambda: internals.optimize_cfg([], [], 0),
        lambda: internals.optimize_cfg([(5, 2**31, 1, 1, 1, 1)], [], -1),
        lambda: internals.assemble_code_object("x", [(1, 2**31, 0, 0, 0, 0)], {}),
        lambda: internals.pytime_as_timespec(-(2**63)),
        lambda: internals.run_in_subinterp_with_config("1/0"),
    ):
        try:
            act()
        except Exception:
            pass
result = "alive"
