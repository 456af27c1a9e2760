import email
from email import policy
from email.header import decode_header
from email.message import EmailMessage
from email.utils import formataddr, formatdate, parseaddr, parsedate_to_datetime
message = EmailMessage()
message["From"] = formataddr(("Ada L.", "ada@example.com"))
message["To"] = "alan@example.com, grace@example.com"
message["Subject"] = "Überraschung"
message.set_content("Hello\nworld\n")
message.add_alternative("<p>Hello</p>", subtype="html")
message.add_attachment(b"\x00\x01", maintype="application", subtype="octet-stream", filename="a.bin")
text = message.as_string()
back = email.message_from_string(text, policy=policy.default)
print(back["subject"], back["from"], back.is_multipart(), [part.get_content_type() for part in back.walk()])
print(back.get_body(("plain",)).get_content(), [(a.get_filename(), a.get_content()) for a in back.iter_attachments()])
print(parseaddr("Ada L. <ada@example.com>"), formatdate(0), parsedate_to_datetime("Mon, 06 May 2024 10:00:00 +0200"))
raw = "Subject: =?utf-8?q?caf=C3=A9?=\nX-A: 1\nX-A: 2\n\nbody"
old = email.message_from_string(raw)
print(decode_header(old["subject"]), old.get_all("X-A"), old.get_payload(), old.keys(), str(old["missing"]))
print(back["to"].addresses[1].username, [str(h) for h in back.get_all("to")])
