"""Says what is in containers, with nothing but Python: a reader of its own, written from the facts about the formats.

Each line of the standard input is a file. For each one come a line OK, or FAIL and why, lines that say what is in it, and a
line END:

    is ADDRESS FORMAT                   a container; the file itself is at -
    has ADDRESS WORDS                   what it says of something: names, numbers, the hash of what is around its programs
    packed ADDRESS WORDS                how something is packed, which changes with it
    bytes ADDRESS SIZE SHA256           a program or other entry

Numbers that follow from others (sizes, offsets, checksums) are checked and not said: where one is wrong, so is the file.
"""

import bz2
import hashlib
import io
import lzma
import math
import struct
import sys
import zipfile
import zlib


class Wrong(Exception):
    """What is wrong with a file."""


class Bytes:
    """Bytes that are read from front to end."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, size):
        if size < 0 or self.at + size > len(self.data):
            raise Wrong(f"{size} bytes from {self.at} on, and there are {len(self.data)}")
        self.at += size
        return self.data[self.at - size : self.at]

    def u8(self):
        return self.take(1)[0]

    def u16(self):
        return int.from_bytes(self.take(2), "little")

    def u32(self):
        return int.from_bytes(self.take(4), "little")

    def i32(self):
        return int.from_bytes(self.take(4), "little", signed=True)

    def varint(self):
        out = shift = 0
        while True:
            byte = self.u8()
            out |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return out

    def string(self):
        return self.take(self.varint()).decode()

    def rest(self):
        return self.take(len(self.data) - self.at)


def must(that, why):
    if not that:
        raise Wrong(why)


def sha(*pieces):
    return hashlib.sha256(b"".join(pieces)).hexdigest()


class Say:
    """The lines about a container and what is in it."""

    def __init__(self, lines, above=()):
        self.lines, self.above = lines, above

    def line(self, word, place, *words):
        place = "::".join((*self.above, place) if place else self.above) or "-"
        self.lines.append(" ".join([word, place.replace(" ", "%20"), *map(str, words)]))

    def entry(self, place, data):
        """An entry, which may be a container itself."""
        inside = read_of(data)
        if inside:
            read(data, inside, Say(self.lines, (*self.above, place)))
        else:
            self.line("bytes", place, len(data), sha(data))


# ---- fx_2_0


def fx2(data, say):
    file = Bytes(data)
    if data[:4] == b"\xcf\x0b\xf0\xbc":
        size = struct.unpack_from("<I", data, 4)[0]
        say.line("has", "", "wrapper", data[:size].hex())
        file.at = size
    must(file.u32() == 0xFEFF0901, "no effect")
    front = file.at
    pool = file.take(file.u32())
    parameters, techniques, _, _ = (file.u32() for _ in range(4))
    # Which objects belong to parameters, and which states of passes are shaders.
    owners, states = {}, {}
    for n in range(parameters):
        kind, value, _, annotations = (file.u32() for _ in range(4))
        file.take(8 * annotations)
        name, ids = fx2_objects(pool, kind, value)
        say.line("has", f"param{n}", repr(name))
        for index, owned in ids:
            owners[owned] = f"param{n}" if index is None else f"param{n}[{index}]"
    for t in range(techniques):
        name, annotations, passes = (file.u32() for _ in range(3))
        say.line("has", f"technique{t}", repr(fx2_name(pool, name)), passes)
        file.take(8 * annotations)
        for p in range(passes):
            name, annotations, count = (file.u32() for _ in range(3))
            say.line("has", f"technique{t}/pass{p}", repr(fx2_name(pool, name)), count)
            file.take(8 * annotations)
            for s in range(count):
                states[t, p, s] = file.u32()
                file.take(12)
    small, large = file.u32(), file.u32()
    say.line("has", "", "tables", sha(data[front : file.at]), small, large)
    for _ in range(small):
        owned, size = file.u32(), file.u32()
        fx2_object(file, say, owners.get(owned), size, ("small", owned))
    for _ in range(large):
        t, index, element, state, usage, size = (file.u32() for _ in range(6))
        place = None
        if usage == 0 and t != 0xFFFFFFFF:
            step = {0x92: "vs", 0x93: "ps"}.get(states.get((t, index, state)))
            place = step and f"technique{t}/pass{index}/{step}"
        fx2_object(file, say, place, size, ("large", t, index, element, state, usage))
    say.line("has", "", "behind", file.rest().hex())


def fx2_object(file, say, place, size, words):
    data = file.take(size)
    padding = file.take(-size % 4)
    if place and data:
        say.line("has", place, *words, "padding", padding.hex())
        say.line("bytes", place, size, sha(data))
    else:
        say.line("has", "", *words, size, sha(data), "padding", padding.hex())


def fx2_name(pool, offset):
    file = Bytes(pool, offset)
    return file.take(file.u32()) or None


def fx2_objects(pool, kind, value):
    """The name of a parameter, and the objects of one that is a shader, with their index in an array."""
    kind, value = Bytes(pool, kind), Bytes(pool, value)
    base, _, name, _, elements = (kind.u32() for _ in range(5))
    name = fx2_name(pool, name)
    if base not in (15, 16):
        return name, []
    if not elements:
        return name, [(None, value.u32())]
    return name, [(n, value.u32()) for n in range(elements)]


# ---- XNB


def xnb(data, say):
    file = Bytes(data, 3)
    platform, version, flags = file.u8(), file.u8(), file.u8()
    must(file.u32() == len(data), "the length of the file is wrong")
    size = file.u32() if flags & 0xC0 else None
    body = file.rest()
    if flags & 0x80:
        raise Wrong("LZX, which Python does not unpack")
    if flags & 0x40:
        body = lz4(body)
    must(size is None or size == len(body), "the size of the body is wrong")
    say.line("has", "", platform, version, flags & 0x3F)
    file = Bytes(body)
    readers = [(file.string(), file.i32()) for _ in range(file.varint())]
    for name, version in readers:
        say.line("has", "", "reader", repr(name), version)
    say.line("has", "", "shared", file.varint())
    root = file.varint()
    if root and readers[root - 1][0].split(",")[0].endswith(".EffectReader"):
        say.entry("effect", file.take(file.u32()))
    say.line("has", "", "root", root, sha(file.rest()))


def lz4(data):
    """Unpacks a block of LZ4."""
    file, out = Bytes(data), bytearray()

    def length(nibble):
        more = nibble == 15
        while more:
            byte = file.u8()
            nibble += byte
            more = byte == 255
        return nibble

    while True:
        token = file.u8()
        out += file.take(length(token >> 4))
        if file.at == len(data):
            return bytes(out)
        back = file.u16()
        must(0 < back <= len(out), "a match from before the block")
        for _ in range(length(token & 15) + 4):
            out.append(out[-back])


# ---- MGFX


def mgfx(data, say):
    file = Bytes(data, 4)
    version, profile = file.u8(), file.u8()
    # The key is one of a cache, and new where the effect is.
    file.take(4)
    number = file.i32 if version >= 10 else file.u8
    around, start = [], file.at

    def cut(size):
        # The length in front of the bytes follows from them.
        nonlocal start
        around.append(data[start : file.at - 4])
        out = file.take(size)
        start = file.at
        return out

    for _ in range(number()):
        if version != 7 or profile == 0:
            file.string()
        file.u16()
        count = number()
        file.take(count * (6 if version >= 10 else 3))
    say.line("has", "", version, profile)
    for n in range(number()):
        vertex = file.u8()
        if version >= 11:
            file.string()
            file.string()
        code = cut(file.i32())
        say.line("has", f"shader{n}", "vertex" if vertex else "pixel")
        say.entry(f"shader{n}", code)
        for _ in range(file.u8()):
            file.take(3)
            if file.u8():
                file.take(20)
            say.line("has", f"shader{n}", "sampler", repr(file.string()), file.u8())
        file.take(file.u8())
        for _ in range(file.u8()):
            say.line("has", f"shader{n}", "attribute", repr(file.string()))
            file.take(4)
    around.append(data[start:])
    say.line("has", "", "around", sha(*around))
    must(version < 10 or data.endswith(b"MGFX"), "no signature at the end")


# ---- DXBC


def dxbc(data, say):
    file = Bytes(data, 4)
    checksum = file.take(16)
    must(file.u32() == 1, "the number behind the checksum")
    must(file.u32() == len(data), "the total size is wrong")
    fits = "zero" if not any(checksum) else "fits"
    must(fits == "zero" or checksum == checksum_of(data), "the checksum is wrong")
    say.line("has", "", "checksum", fits)
    offsets = [file.u32() for _ in range(file.u32())]
    for n, (offset, end) in enumerate(zip(offsets, [*offsets[1:], len(data)])):
        must(offset % 4 == 0, "a chunk at an odd place")
        chunk = Bytes(data, offset)
        tag = chunk.take(4).decode()
        size = chunk.u32()
        must(chunk.at + size == end, f"{tag} ends at {chunk.at + size}, and not at {end}")
        payload = chunk.take(size)
        if tag != "Aon9":
            say.line("has", f"chunk{n}", tag, size, sha(payload))
            continue
        total, version, stream, at = struct.unpack_from("<4I", payload)
        must(total == size and at + stream == size, "the sizes of Aon9 are wrong")
        must(payload[at : at + 4] == payload[4:8], f"the version {version:x} is not that of the program")
        say.line("has", f"chunk{n}", tag, at, sha(payload[16:at]))
        say.line("bytes", "aon9", stream, sha(payload[at:]))


# The constants and rotations of MD5, from RFC 1321.
SINES = [int(abs(math.sin(n + 1)) * 2**32) for n in range(64)]
TURNS = [7, 12, 17, 22] * 4 + [5, 9, 14, 20] * 4 + [4, 11, 16, 23] * 4 + [6, 10, 15, 21] * 4
KNOWN = {}


def checksum_of(data):
    """MD5 of what stands behind the checksum, with another last block."""
    data = data[20:]
    if data not in KNOWN:
        whole, rest = data[: len(data) // 64 * 64], data[len(data) // 64 * 64 :]
        bits, last = struct.pack("<I", 8 * len(data)), struct.pack("<I", 2 * len(data) | 1)
        if len(rest) < 56:
            whole += bits + (rest + b"\x80").ljust(56, b"\0") + last
        else:
            whole += (rest + b"\x80").ljust(64, b"\0") + bits.ljust(60, b"\0") + last
        KNOWN[data] = md5_rounds(whole)
    return KNOWN[data]


def md5_rounds(data):
    state = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476]
    for block in range(0, len(data), 64):
        words = struct.unpack_from("<16I", data, block)
        a, b, c, d = state
        for n in range(64):
            if n < 16:
                mix, word = b & c | ~b & d, n
            elif n < 32:
                mix, word = d & b | ~d & c, 5 * n + 1
            elif n < 48:
                mix, word = b ^ c ^ d, 3 * n + 5
            else:
                mix, word = c ^ (b | ~d & 0xFFFFFFFF), 7 * n
            total = (a + mix + SINES[n] + words[word % 16]) & 0xFFFFFFFF
            turned = total << TURNS[n] | total >> (32 - TURNS[n])
            a, b, c, d = d, (b + turned) & 0xFFFFFFFF, b, c
        state = [(old + new) & 0xFFFFFFFF for old, new in zip(state, (a, b, c, d))]
    return struct.pack("<4I", *state)


# ---- SDP


def sdp(data, say):
    file = Bytes(data, 4)
    count = file.u32()
    must(file.u32() == len(data) - 12, "the size of the data is wrong")
    entries = []
    for _ in range(count):
        name = file.take(256)
        entries.append((name, file.take(file.u32())))
    must(file.at == len(data), "bytes behind the last entry")
    names = [name.split(b"\0")[0].decode().lower() for name, _ in entries]
    for n, (name, program) in enumerate(entries):
        say.line("has", f"#{n}", sha(name), repr(name.rstrip(b"\0")))
        alone = names.count(names[n]) == 1
        say.entry(name.split(b"\0")[0].decode() if alone else f"#{n}", program)


# ---- VCS


def vcs(data, say):
    file = Bytes(data)
    version, total, dynamic, flags, mask, count, source = (file.u32() for _ in range(7))
    must(version in (5, 6), f"version {version}")
    records = [(file.u32(), file.u32()) for _ in range(count)]
    aliases = [(file.u32(), file.u32()) for _ in range(file.u32())] if version == 6 else []
    must(records[-1] == (0xFFFFFFFF, len(data)), "the last record is not the end of the file")
    say.line("has", "", version, total, dynamic, flags, mask, source, aliases)
    for (static, start), (_, end) in zip(records, records[1:]):
        must(file.at == start, f"static combo {static} is at {start}, and the one before ends at {file.at}")
        while (head := file.u32()) != 0xFFFFFFFF:
            stored = file.take(head & 0x3FFFFFFF)
            block = Bytes(vcs_unpacked(head >> 30, stored))
            must(len(block.data) <= 131072, "a block that is too large")
            while block.at < len(block.data):
                number, size = block.u32(), block.u32()
                say.line("bytes", f"static{static}/dynamic{number}", size, sha(block.take(size)))
        must(file.at == end, f"static combo {static} ends at {file.at}, and not at {end}")


def vcs_unpacked(codec, stored):
    if codec == 2:
        return stored
    if codec == 0:
        return bz2.decompress(stored)
    file = Bytes(stored)
    must(codec == 1 and file.take(4) == b"LZMA", "a block of another kind")
    unpacked, packed = file.u32(), file.u32()
    properties = file.take(5)
    must(packed == len(stored) - 17, "the packed size is wrong")
    return lzma1(properties, file.rest(), unpacked)


def lzma1(properties, packed, size):
    code, dictionary = struct.unpack("<BI", properties)
    how = {"lc": code % 9, "lp": code // 9 % 5, "pb": code // 45, "dict_size": dictionary}
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, **how}])
    out = unpacker.decompress(packed, size)
    must(len(out) == size, f"{len(out)} bytes come out, and not {size}")
    return out


# ---- SWF


def swf(data, say):
    length = struct.unpack_from("<I", data, 4)[0]
    if data[:3] == b"CWS":
        unpacker = zlib.decompressobj()
        body = unpacker.decompress(data[8:])
        must(unpacker.eof and not unpacker.unused_data, "bytes behind the packed ones")
    elif data[:3] == b"ZWS":
        must(struct.unpack_from("<I", data, 8)[0] == len(data) - 17, "the packed size is wrong")
        body = lzma1(data[12:17], data[17:], length - 8)
    else:
        body = data[8:]
    must(length == len(body) + 8, f"the length is {length}, and there are {len(body) + 8} bytes")
    # A rectangle of four numbers, whose bits the first five say; a rate; the frames.
    file = Bytes(body)
    head = file.take((5 + 4 * (body[0] >> 3) + 7) // 8 + 4)
    say.line("has", "", data[:4].hex(), head.hex())
    while file.at < len(body):
        word = file.u16()
        size = word & 0x3F
        if size == 0x3F:
            size = file.u32()
        content = file.take(size)
        if word >> 6 == 87:
            number = struct.unpack_from("<H", content)[0]
            say.line("has", f"binary/{number}", content[2:6].hex())
            say.line("bytes", f"binary/{number}", size - 6, sha(content[6:]))
        else:
            say.line("has", "", "tag", word >> 6, size, sha(content))


# ---- rgxa


def rgxa(data, say):
    file = Bytes(data, 4)
    around, start = [], 0
    for stage in "vs", "ps":
        for n in range(file.u8()):
            for _ in range(file.u8()):
                file.take(4)
                file.take(file.u8())
            around.append(data[start : file.at])
            size, again = file.u16(), file.u16()
            must(size == again, f"one length is {size}, and the other {again}")
            program = file.take(size)
            start = file.at
            # The first one of pixels is none.
            if program or (stage, n) != ("ps", 0):
                say.entry(f"{stage}{n}", program)
    say.line("has", "", "around", sha(*around, data[start:]))


# ---- zip


def archive(data, say):
    with zipfile.ZipFile(io.BytesIO(data)) as pack:
        say.line("has", "", "comment", pack.comment.hex())
        end = 0
        for member in sorted(pack.infolist(), key=lambda member: member.header_offset):
            must(member.header_offset >= end, "members lie over each other")
            file = Bytes(data, member.header_offset)
            must(file.take(4) == b"PK\x03\x04", "no header in front of a member")
            version, flags, method, time, date = (file.u16() for _ in range(5))
            sums = file.u32(), file.u32(), file.u32()
            name, extra = file.u16(), file.u16()
            file.take(name)
            # Modules of Python believe the directory at the end; other readers may believe this.
            known = member.CRC, member.compress_size, member.file_size
            must(flags == member.flag_bits and method == member.compress_type, "two kinds of packing")
            must(flags & 8 or sums == known, f"the header says {sums}, and the directory {known}")
            say.line("has", member.filename, version, time, date, file.take(extra).hex())
            packed = file.take(member.compress_size)
            end = file.at
            say.line("packed", member.filename, member.compress_type, sha(packed))
        for member in pack.infolist():
            about = member.date_time, member.extra.hex(), member.comment.hex(), member.external_attr
            versions = member.create_system, member.create_version, member.extract_version
            say.line("has", member.filename, *about, *versions, member.internal_attr)
            say.entry(member.filename, pack.read(member))


# ---- virgl


def virgl(data, say):
    file, texts = Bytes(data), {}
    while file.at < len(data):
        head = file.u32()
        packet = Bytes(file.take(4 * (head >> 16)))
        if head & 0xFFFF != 0x0401:
            say.line("has", "", head, sha(packet.data))
            continue
        handle, stage, offset, tokens, outputs = (packet.u32() for _ in range(5))
        if offset & 0x80000000:
            known = next(name for name in reversed(texts) if name.split("#")[0] == f"shader{handle}")
            must(len(texts[known][1]) == offset & 0x7FFFFFFF, "a text goes on elsewhere")
            texts[known][1] += packet.rest()
            continue
        again = sum(name.split("#")[0] == f"shader{handle}" for name in texts)
        name = f"shader{handle}#{again + 1}" if again else f"shader{handle}"
        captured = packet.take(16 + 8 * outputs if outputs and stage != 5 else 0)
        say.line("has", name, stage, outputs, captured.hex())
        # The host needs room for those of the new text.
        say.line("packed", name, tokens)
        texts[name] = [offset, bytearray(packet.rest())]
    for name, (size, text) in texts.items():
        must(size <= len(text) < size + 4, f"{name} says {size} bytes, and there are {len(text)}")
        must(not any(text[size - 1 :]), f"{name} does not end in a zero")
        say.line("bytes", name, size - 1, sha(text[: size - 1]))


def is_virgl(data):
    """Whether packets fill a file, one of them with a shader."""
    file, found = Bytes(data), False
    try:
        while file.at < len(data):
            head = file.u32()
            file.take(4 * (head >> 16))
            found |= head & 0xFFFF == 0x0401
    except Wrong:
        return False
    return found


READERS = [
    (b"\xcf\x0b\xf0\xbc", "fx2", fx2),
    (b"\x01\x09\xff\xfe", "fx2", fx2),
    (b"XNB", "xnb", xnb),
    (b"MGFX", "mgfx", mgfx),
    (b"DXBC", "dxbc", dxbc),
    (b"FWS", "swf", swf),
    (b"CWS", "swf", swf),
    (b"ZWS", "swf", swf),
    (b"rgxa", "rgxa", rgxa),
    (b"PK\x03\x04", "zip", archive),
    (b"\x64\0\0\0", "sdp", sdp),
    (b"\x05\0\0\0", "vcs", vcs),
    (b"\x06\0\0\0", "vcs", vcs),
]


def read_of(data):
    known = next((row for row in READERS if data.startswith(row[0])), None)
    return known or ((b"", "virgl", virgl) if is_virgl(data) else None)


def read(data, row, say):
    say.line("is", "", row[1])
    row[2](data, say)


def about(path):
    with open(path, "rb") as file:
        data = file.read()
    row = read_of(data)
    if not row:
        return ["FAIL no format that is known here"]
    lines = ["OK 0"]
    try:
        read(data, row, Say(lines))
    except Wrong as why:
        return [f"FAIL {why}"]
    except Exception as why:  # What zlib, struct and their like say.
        return [f"FAIL {type(why).__name__}: {why}"]
    return lines


for line in sys.stdin:
    print("\n".join([*about(line.rstrip("\n")), "END"]), flush=True)
