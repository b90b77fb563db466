//! What may be wrong with a container, and with what is asked of one.

vecasm_ir::rules! {
    /// Every rule.
    pub const RULES;
    pub const;

    SHORT "CONTAINER-short" Error "the file ends inside %1",
        "a part of it is missing: look whether it was downloaded or copied whole";
    COUNT "CONTAINER-count" Error "%1 counts %2, more than the file has room for",
        "a count is checked against the bytes that are left before anything is read";
    OFFSET "CONTAINER-offset" Error "%1 lies outside the file",
        "an offset must lead to a place inside the file, or inside the part that it counts from";
    VALUE "CONTAINER-value" Error "%1 is %2, which the format does not have",
        "the file is damaged, or of a variant of the format that nobody has described";
    LIMIT "CONTAINER-limit" Error "%1; the limit is %2",
        "files of strangers may ask for any amount of memory: what a file may take is bounded";
    CODEC "CONTAINER-codec" Error "%1 cannot be unpacked: %2",
        "compressed data are damaged, or packed in a way that vecasm does not read";
    FOREIGN "CONTAINER-foreign" Error "%1 holds %2",
        "vecasm reads AGAL, Direct3D 8 and 9, TGSI and NV2A";
    FORMAT "CONTAINER-format" Error "no container that vecasm reads",
        "`vecasm formats` lists the containers that are read and written";
    CHECKSUM "CONTAINER-checksum" Warning "the checksum of %1 does not fit its content",
        "what reads the file may refuse it; writing it again gives it the right one";
    SIZE "CONTAINER-size" Warning "%1 says %2 bytes, and there are %3",
        "readers differ in which of the two they believe";
    TRAILING "CONTAINER-trailing" Warning "%1 bytes follow the end",
        "they are kept where the file is written again";
    UNKNOWN "CONTAINER-unknown" Warning "%1 is %2, whose meaning is unknown",
        "it is kept where the file is written again";
    UNVERIFIED "CONTAINER-unverified" Warning "%1, whose layout no file has confirmed",
        "it is read as those who wrote about it have it: look whether the programs are what the game draws";
    UNREADABLE "CONTAINER-unreadable" Warning "%1 cannot be read: %2",
        "programs in it are not found; the rest of the file is read all the same";
    UNUSED_TEXT "CONTAINER-unused-text" Warning "%1 strings of %2 look like AGAL and are in no program",
        "code that joins strings in loops or calls is not followed, and compilers leave strings that nothing uses";
    ADDRESS "CONTAINER-address" Error "no entry %1",
        "`vecasm info FILE` lists the entries and their addresses";
    AMBIGUOUS "CONTAINER-ambiguous" Error "%1 names several entries",
        "entries of one name are told apart by their numbers";
    ALIAS "CONTAINER-alias" Error "%1 is the same as %2",
        "the file says that one is the other: `repack --break-alias` gives it programs of its own before it is edited";
    READ_ONLY "CONTAINER-read-only" Error "%1 cannot be written",
        "`vecasm formats` tells which containers are written";
    FIT "CONTAINER-fit" Error "%1 bytes do not fit %2",
        "the format has no room for more, or code elsewhere in the file counts on the place of what follows";
    SHARED "CONTAINER-shared" Warning "%1 is %2, too",
        "the file has one program for several addresses: all of them change with it";
    SIGNATURE "CONTAINER-signature" Warning "the signature of the file does not fit the change",
        "what checks signatures refuses the file; only who signed it can sign it again";
    TABLE_LOST "CONTAINER-table-lost" Warning "%1 had a table of constants, and what replaces it has none",
        "programs that load the file find constants by their names in that table: without --drop-comments `repack` keeps the old one, and a program that has its own keeps that";
}
