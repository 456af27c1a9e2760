people = [("ada", 36), ("grace", 45), ("alan", 36), ("edsger", 45), ("barbara", 28)]
print(sorted(people, key=lambda p: p[1]))
print(sorted(people, key=lambda p: (-p[1], p[0])))
print(sorted(people, key=lambda p: p[1], reverse=True))
words = ["Banana", "apple", "cherry", "Apple"]
print(sorted(words), sorted(words, key=str.lower), sorted(words, key=len))
print(min(people, key=lambda p: p[1]), max("hello", key="helo".index))
print(max([], default="none"), min(3, 1, 2), max(["a", "bb", "cc"], key=len))
try:
    sorted([1, "a"])
except TypeError as error:
    print(error)
nums = [5, 3, 9]
print(nums.sort(), nums, list(reversed(nums)))
