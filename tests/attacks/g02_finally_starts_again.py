# row: G02
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: a finally block that starts the loop again must not outlive the limit
def spin():
    try:
        while True:
            pass
    finally:
        print("finally")
        spin()


spin()
