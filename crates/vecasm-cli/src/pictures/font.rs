//! Letters of three by six pixels, drawn for this program: five rows, and one below the line.

/// For each letter from the space to the tilde its rows from the top as octal digits, the left pixel highest.
const LETTERS: [&str; 95] = [
    "000000", "222020", "550000", "575750", "362760", "512450", "252530",
    "220000", // space ! " # $ % & '
    "122210", "422240", "052500", "027200", "000024", "007000", "000020", "112440", // ( ) * + , - . /
    "755570", "262270", "617470", "617170", "557110", "746160", "346770", "712220", // 0-7
    "757570", "757160", "020200", "020240", "124210", "070700", "421240", "613020", // 8 9 : ; < = > ?
    "257430", "257550", "656560", "344430", "655560", "746470", "746440", "345530", // @ A-G
    "557550", "722270", "311520", "556550", "444470", "577550", "577750", "255520", // H-O
    "656440", "255763", "656550", "342160", "722220", "555570", "555520", "557750", // P-W
    "552550", "552220", "712470", "622260", "442110", "322230", "250000", "000007", // X-Z [ \ ] ^ _
    "420000", "035530", "465560", "034430", "135530", "025630", "127220", "035316", // ` a-g
    "465550", "202220", "101152", "456650", "622270", "067550", "065550", "025520", // h-o
    "065564", "035531", "034440", "034160", "272210", "055530", "055520", "055770", // p-w
    "052250", "055316", "071470", "326230", "222220", "623260", "063000", // x-z { | } ~
];
/// What is drawn for all others.
const BOX: &str = "777770";

/// The rows of a letter, three bits each.
pub(super) fn rows(c: char) -> impl Iterator<Item = u8> {
    let at = (c as usize).checked_sub(usize::from(b' '));
    let digits = at.and_then(|at| LETTERS.get(at)).copied().unwrap_or(BOX);
    digits.bytes().map(|digit| digit - b'0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn letters_are_six_rows_and_all_different() {
        for letter in LETTERS {
            assert!(letter.len() == 6 && letter.bytes().all(|b| (b'0'..b'8').contains(&b)), "{letter}");
        }
        assert_eq!(LETTERS.iter().collect::<BTreeSet<_>>().len(), LETTERS.len());
        assert_eq!(rows('é').collect::<Vec<_>>(), [7, 7, 7, 7, 7, 0]);
    }
}
