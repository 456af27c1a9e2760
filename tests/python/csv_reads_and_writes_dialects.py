import csv
import io
text = 'id,name,note\r\n1,"Lovelace, Ada","said ""hi"""\r\n2,Alan,"two\nlines"\r\n3,,\r\n'
rows = list(csv.reader(io.StringIO(text, newline="")))
print(rows)
records = list(csv.DictReader(io.StringIO(text, newline="")))
print(records[0], records[2]["note"] == "")
out = io.StringIO(newline="")
writer = csv.DictWriter(out, fieldnames=["id", "name"], extrasaction="ignore")
writer.writeheader()
writer.writerows(records)
print(repr(out.getvalue()))
out = io.StringIO()
csv.writer(out, delimiter=";", quoting=csv.QUOTE_ALL, lineterminator="\n").writerow([1, None, 2.5, 'q"', True])
csv.writer(out, delimiter="\t", quoting=csv.QUOTE_MINIMAL, lineterminator="\n").writerow(["a\tb", "c d", ""])
print(out.getvalue())
print(list(csv.reader(["a|b|'c|d'"], delimiter="|", quotechar="'")), list(csv.reader(["a b  c"], delimiter=" ", skipinitialspace=True)))
print(list(csv.reader(["1,2.5,x"], quoting=csv.QUOTE_NONE)), list(csv.DictReader(["1,2,3,4"], fieldnames=["a", "b"], restkey="rest")))
dialect = csv.Sniffer().sniff("a;b;c\n1;2;3\n4;5;6\n")
print(dialect.delimiter, csv.Sniffer().has_header("name,age\nada,36\nalan,41\n"))
try:
    writer.writerow({"id": 1, "name": 2})
    csv.DictWriter(out, ["a"]).writerow({"b": 1})
except ValueError as error:
    print("ValueError")
