# outcome: ok
# result: [null,true,false,1,-2,1.5,1e+16,"x",[],{}]
[None, True, False, 1, -2, 1.5, 1e16, "x", [], {}]
