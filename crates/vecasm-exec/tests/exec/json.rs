//! Values whose objects keep their order, and errors with a place.

use vecasm_exec::json;
use vecasm_exec::json::{Json, Object};

#[test]
fn what_is_read_is_written() {
    for text in [
        r#"{"b":1,"a":[null,true,-3,0.5,1e-7,18446744073709551615,0.125],"c":{"z":"\"\n\u0001é","y":{}}}"#,
        "[]",
        "\"\u{7f}\"",
    ] {
        assert_eq!(Json::parse(text.as_bytes()).unwrap().to_string(), text);
    }
    for text in ["", "{", "[1,]", "1e999", "\"\\ud800\"", "{\"a\":1} x"] {
        let own = Json::parse(text.as_bytes()).unwrap_err();
        let why = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
        assert_eq!(own, why.to_string());
    }
    assert!(Json::parse("[".repeat(1 << 20).as_bytes()).is_err());
}

#[test]
fn members_keep_their_places() {
    let twice = Json::parse(br#"{"a":1,"b":2,"a":3}"#).unwrap();
    assert_eq!(twice.to_string(), r#"{"a":3,"b":2}"#);
    let mut object = Object::from_iter([("a", 1), ("b", 2), ("c", 3), ("d", 4)]);
    assert_eq!(object.remove("b"), Some(Json::from(2)));
    object.insert("d", 5);
    object.insert("e", true);
    assert_eq!(object.remove("x"), None);
    assert_eq!(Json::from(object.clone()).to_string(), r#"{"a":1,"c":3,"d":5,"e":true}"#);
    let other = Object::from_iter([("e", json!(true)), ("c", json!(3)), ("d", json!(5)), ("a", json!(1))]);
    assert_eq!(object, other);
}

/// What a map beside a list of its keys says, with few members and with many.
#[test]
fn keys_are_found_among_many() {
    use std::collections::BTreeMap;

    let (mut own, mut keys, mut map) = (Object::new(), Vec::new(), BTreeMap::new());
    for n in 0..200u32 {
        let key = format!("{}", n * 67 % 61);
        if map.insert(key.clone(), n).is_none() {
            keys.push(key.clone());
        }
        own.insert(key, n);
        if n % 5 == 4 {
            let key = format!("{}", n % 61);
            assert_eq!(own.remove(&key), map.remove(&key).map(Json::from));
            keys.retain(|other| *other != key);
        }
        assert_eq!(own.keys().collect::<Vec<_>>(), keys);
        for key in (0..70).map(|n: u32| n.to_string()) {
            assert_eq!(own.get(&key), map.get(&key).map(Json::from).as_ref());
        }
        let read = Json::parse(Json::from(&own).to_string().as_bytes()).unwrap();
        assert_eq!(read, Json::from(&own));
    }
}

/// A key of 100,000 takes no search through all, whether all are different or most are the same.
#[test]
fn many_keys_take_no_time() {
    for keys in [300_000, 3] {
        let members = (0..300_000).map(|n| format!("\"{}\":{n}", n % keys));
        let text = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
        let read = Json::parse(text.as_bytes()).unwrap();
        let object = read.as_object().unwrap();
        assert_eq!(object.keys().count(), keys);
        for key in 0..keys {
            let last = 300_000 - keys + key;
            assert_eq!(object.get(&key.to_string()), Some(&Json::from(last)));
        }
        assert_eq!(read, read.clone());
        assert_eq!(Object::from_iter(read.clone().into_object()), *object);
    }
}

#[test]
fn the_macro_writes_what_it_says() {
    let (x, list) = (0.25f32, [Some(1u32), None]);
    let value = json!({ "x": x, "of": [x, { "k": "v" }, [1, 2][0]], "n": null, "l": list, "o": {}, "e": [] });
    let text = r#"{"x":0.25,"of":[0.25,{"k":"v"},1],"n":null,"l":[1,null],"o":{},"e":[]}"#;
    assert_eq!(value.to_string(), text);
    assert_eq!(json!([f64::NAN, f32::INFINITY]).to_string(), "[null,null]");
    assert_eq!(value["of"].as_list().map(<[_]>::len), Some(3));
    assert_eq!((value["x"]["y"].is_null(), value["nothing"].is_null()), (true, true));
}
