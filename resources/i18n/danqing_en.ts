<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>CheckRows</name>
    <message numerus="yes">
        <source>%n failed</source>
        <comment>rows</comment>
        <translation>
            <numerusform>%n failed</numerusform>
            <numerusform>%n failed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <comment>rows</comment>
        <translation>
            <numerusform>%n warning</numerusform>
            <numerusform>%n warnings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LogPage</name>
    <message numerus="yes">
        <source>%n thing(s) known in here:</source>
        <translation>
            <numerusform>%n thing known in here:</numerusform>
            <numerusform>%n things known in here:</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PictureView</name>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n step</numerusform>
            <numerusform>%n steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PromptListDialog</name>
    <message numerus="yes">
        <source>… and %n more</source>
        <translation>
            <numerusform>… and %n more</numerusform>
            <numerusform>… and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n picture(s)</source>
        <translation>
            <numerusform>%n picture</numerusform>
            <numerusform>%n pictures</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n wrong row(s), not drawn</source>
        <translation>
            <numerusform>%n wrong row, not drawn</numerusform>
            <numerusform>%n wrong rows, not drawn</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left out</source>
        <translation>
            <numerusform>%n left out</numerusform>
            <numerusform>%n left out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>En&amp;queue %n picture(s)</source>
        <translation>
            <numerusform>En&amp;queue %n picture</numerusform>
            <numerusform>En&amp;queue %n pictures</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PromptPanel</name>
    <message numerus="yes">
        <source>%n waiting</source>
        <comment>jobs</comment>
        <translation>
            <numerusform>%n waiting</numerusform>
            <numerusform>%n waiting</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>QueueBanner</name>
    <message numerus="yes">
        <source>%n picture(s) of an earlier run are not made yet.</source>
        <translation>
            <numerusform>%n picture of an earlier run is not made yet.</numerusform>
            <numerusform>%n pictures of an earlier run are not made yet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n job(s) are left out.</source>
        <translation>
            <numerusform>%n job is left out.</numerusform>
            <numerusform>%n jobs are left out.</numerusform>
        </translation>
    </message>
</context>
</TS>
