# outcome: input_invalid
# message: column price holds no numbers
import intentbox


def amounts(column):
    raise intentbox.Invalid(f"column {column}\n holds no numbers", hint="name another column")


amounts("price")
