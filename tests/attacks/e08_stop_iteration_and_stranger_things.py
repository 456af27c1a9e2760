# row: E08
# outcome: python_error
# about: raising what is no exception, or a class whose making fails, is an error of the script
class Broken(BaseException):
    def __new__(cls, *_):
        return 5


raise Broken
