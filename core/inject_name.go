package core

import "strings"

// tagName is a tag's name in lower case. A name of up to eight bytes is packed into it as it is, the first
// letter uppermost; a longer one is a hash with the top bit set, which no packed name has, because a name
// begins with a letter.
type tagName uint64

// add returns the name with one byte more.
func (t tagName) add(c byte) tagName {
	if t>>56 == 0 {
		return t<<8 | tagName(lower(c))
	}
	return (t^tagName(lower(c)))*0x100000001b3 | 1<<63
}

// nameOf returns the tagName of s.
func nameOf(s string) (t tagName) {
	for i := 0; i < len(s); i++ {
		t = t.add(s[i])
	}
	return t
}

// namesOf returns the tagNames of words set off by white space.
func namesOf(s string) (names []tagName) {
	for _, word := range strings.Fields(s) {
		names = append(names, nameOf(word))
	}
	return names
}

// Names on which something depends. A test holds each against nameOf.
const (
	nameAnnotationXml tagName = 0xd47d2456776ee5f0 // annotation-xml
	nameBase          tagName = 0x62617365         // base
	nameBr            tagName = 0x6272             // br
	nameButton        tagName = 0x627574746f6e     // button
	nameCaption       tagName = 0x63617074696f6e   // caption
	nameDd            tagName = 0x6464             // dd
	nameDesc          tagName = 0x64657363         // desc
	nameDt            tagName = 0x6474             // dt
	nameFont          tagName = 0x666f6e74         // font
	nameForeignobject tagName = 0xd056c1f64e5cc1b1 // foreignobject
	nameForm          tagName = 0x666f726d         // form
	nameHead          tagName = 0x68656164         // head
	nameHtml          tagName = 0x68746d6c         // html
	nameIframe        tagName = 0x696672616d65     // iframe
	nameInput         tagName = 0x696e707574       // input
	nameLi            tagName = 0x6c69             // li
	nameMalignmark    tagName = 0x873d0d75558d0ec6 // malignmark
	nameMath          tagName = 0x6d617468         // math
	nameMeta          tagName = 0x6d657461         // meta
	nameMglyph        tagName = 0x6d676c797068     // mglyph
	nameMi            tagName = 0x6d69             // mi
	nameMn            tagName = 0x6d6e             // mn
	nameMo            tagName = 0x6d6f             // mo
	nameMs            tagName = 0x6d73             // ms
	nameMtext         tagName = 0x6d74657874       // mtext
	nameNoembed       tagName = 0x6e6f656d626564   // noembed
	nameNoframes      tagName = 0x6e6f6672616d6573 // noframes
	nameNoscript      tagName = 0x6e6f736372697074 // noscript
	nameOption        tagName = 0x6f7074696f6e     // option
	nameP             tagName = 0x70               // p
	namePlaintext     tagName = 0xfc8e9226afc7b364 // plaintext
	nameScript        tagName = 0x736372697074     // script
	nameSelect        tagName = 0x73656c656374     // select
	nameStyle         tagName = 0x7374796c65       // style
	nameSvg           tagName = 0x737667           // svg
	nameTable         tagName = 0x7461626c65       // table
	nameTbody         tagName = 0x74626f6479       // tbody
	nameTd            tagName = 0x7464             // td
	nameTemplate      tagName = 0x74656d706c617465 // template
	nameTextarea      tagName = 0x7465787461726561 // textarea
	nameTfoot         tagName = 0x74666f6f74       // tfoot
	nameTh            tagName = 0x7468             // th
	nameThead         tagName = 0x7468656164       // thead
	nameTitle         tagName = 0x7469746c65       // title
	nameTr            tagName = 0x7472             // tr
	nameTurboStream   tagName = 0xc6de72a3e29ccbc3 // turbo-stream
	nameXmp           tagName = 0x786d70           // xmp
)
